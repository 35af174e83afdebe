#!/bin/sh
# Writes to a store only while the sidecar says held.
#
#   guarded_writer.sh SIDECAR STORE        commands on stdin, an answer each:
#       ask            held GENERATION | not held: WHY
#       write VALUE    wrote G | not written: WHY | stale G | unknown: WHY
#   guarded_writer.sh SIDECAR STORE watch  prints each change of the claim
TENURE_ADDRESS=$1
. "$(dirname "$0")/tenure.sh"
store=$2

describe() {
  if tenure_held; then
    echo "held $tenure_generation"
  else
    echo "not held: $tenure_why"
  fi
}

# write VALUE, with the claim that is had.
write() {
  tenure_held || { # asked last, just before the write
    echo "not written: $tenure_why"
    return
  }
  status=$(curl -q -s --noproxy '*' --max-time 5 -o /dev/null \
    -w '%{http_code}' -X PUT -H "Tenure-Generation: $tenure_generation" \
    -H 'Content-Type: text/plain' --data-binary "$1" "http://$store/value")
  case $? in
    0) ;;
    *) status="curl failed" ;; # it may have been applied
  esac
  case $status in
    200) echo "wrote $tenure_generation" ;;
    409) echo "stale $tenure_generation" ;; # the store knows a higher one
    *) echo "unknown: $status" ;;
  esac
}

if [ "${3:-}" = watch ]; then
  said=''
  tenure_watch | while read -r _; do
    tenure_ask
    now=$(describe)
    [ "$now" = "$said" ] || echo "$now"
    said=$now
  done
fi
while read -r command value; do
  case $command in
    ask) tenure_ask; describe ;;
    write) write "$value" ;;
  esac
done
