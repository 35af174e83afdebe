# Asks a Tenure sidecar for the generation: POSIX sh, curl, sed and head.
# The rules are in ../README.md. To be sourced:
#
#   . ./tenure.sh
#   tenure_ask && tenure_held && write_to_store "$tenure_generation"
#
# TENURE_ADDRESS: the path of a Unix socket, or 127.0.0.1:7421.
# TENURE_LEASE: which lease, where the sidecar has several.
# After a failure $tenure_why says why.

: "${TENURE_ADDRESS:=${TENURE_SOCKET:-/run/tenure/tenure.sock}}"
tenure_generation='' tenure_why='not asked yet'
_tenure_claimed='' _tenure_until=0

# Asks: 0 held, 1 standby, 2 uncertain or no sidecar. Takes a second at most.
tenure_ask() {
  _tenure_claimed='' tenure_why='the answer was not understood'
  # Before asking: the answer may be slow (S1).
  _tenure_asked=$(_tenure_now) || return 2
  # "whole" only if curl saw the end of the answer, and in time.
  _tenure_answer=$({ _tenure_get 1 /v1/generation -w ' %{http_code}' &&
    echo ' whole'; } | head -c 65536)
  case $_tenure_answer in
    *' 200 whole') ;;
    *' 409 whole') tenure_why='standby' && return 1 ;;
    *' 503 whole') tenure_why='uncertain' && return 2 ;;
    *' whole') tenure_why='the sidecar answered another status' && return 2 ;;
    *) tenure_why='no answer within a second' && return 2 ;;
  esac
  _tenure_number=$(_tenure_digits generation '"' '"' "$_tenure_answer")
  _tenure_left=$(_tenure_digits toRenewBy '' '[,}]' "$_tenure_answer")
  [ "${#_tenure_number}" -ge 1 ] && [ "${#_tenure_number}" -le 16 ] &&
    [ "${#_tenure_left}" -ge 1 ] && [ "${#_tenure_left}" -le 9 ] || return 2
  # Rounded down once more, since the clock shows hundredths.
  _tenure_until=$((_tenure_asked + _tenure_left / 10 - 1))
  _tenure_claimed=$_tenure_number
  tenure_held || return 2
}

# Just before each write: sets $tenure_generation, or empties it and fails.
tenure_held() {
  tenure_generation=''
  [ -n "$_tenure_claimed" ] || return 1
  tenure_why='past the time it was told'
  _tenure_at=$(_tenure_now) && [ "$_tenure_at" -lt "$_tenure_until" ] || return 1
  tenure_generation=$_tenure_claimed tenure_why=''
}

# Prints a line whenever something may have changed, without end. A line is
# only a cue to ask:
#   tenure_watch | while read -r _; do tenure_ask && tenure_held && ...; done
# A stream is left when the claim ends that was had when it was opened.
tenure_watch() {
  while :; do
    _tenure_limit=20
    if tenure_ask && _tenure_left=$((_tenure_until - $(_tenure_now))) &&
      [ "$_tenure_left" -gt 0 ]; then
      _tenure_limit=$(printf '%d.%02d' $((_tenure_left / 100)) \
        $((_tenure_left % 100)))
    fi
    echo cue || return
    _tenure_get "$_tenure_limit" /v1/watch | while read -r _tenure_line; do
      case $_tenure_line in data:*) echo cue ;; esac
    done
    sleep 0.5
  done
}

# Hundredths of a second since boot, suspension included, rounded down. The 1
# in front keeps "08" from being read as octal.
_tenure_now() {
  read -r _tenure_up _ </proc/uptime &&
    echo $((${_tenure_up%.*} * 100 + 1${_tenure_up#*.} - 100))
}

# _tenure_get SECONDS PATH [CURL OPTION...]. -q: whatever ~/.curlrc says.
_tenure_get() {
  _tenure_seconds=$1 _tenure_path=$2${TENURE_LEASE:+?lease=$TENURE_LEASE}
  shift 2
  case $TENURE_ADDRESS in
    */*) set -- "$@" --unix-socket "$TENURE_ADDRESS" \
      "http://localhost$_tenure_path" ;;
    *) set -- "$@" "http://$TENURE_ADDRESS$_tenure_path" ;;
  esac
  curl -q -sN --noproxy '*' --max-time "$_tenure_seconds" \
    -H 'Accept: application/json' "$@"
}

# _tenure_digits KEY BEFORE AFTER ANSWER: the digits of "KEY":DIGITS, between
# what must stand before and after. A quote inside a JSON string is escaped, so
# no name that others chose can look like a key.
_tenure_digits() {
  printf '%s\n' "$4" | sed -n "s/.*\"$1\":$2\([1-9][0-9]*\)$3.*/\1/p"
}
