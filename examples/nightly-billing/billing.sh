#!/bin/sh
# What the CronJob runs: the bill of one business day, once.
#
# The day is the run's key. A CronJob names its Jobs by the scheduled minute; a
# Job started by hand (kubectl create job --from) has any name, so whoever starts
# it says BUSINESS_DATE, and both are the same run.
set -eu

refuse() {
  echo "billing.sh: $1" >&2
  exit 64
}

[ -n "${BILLING_DB:-}" ] ||
  refuse "expected BILLING_DB to name the database, found it unset; set it to the\
 file that \`bill.py FILE open CUSTOMER...\` made"

if [ -n "${BUSINESS_DATE:-}" ]; then
  # Written in another way the same day would be another run, and billed again.
  case $BUSINESS_DATE in
    [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]) ;;
    *) refuse "expected BUSINESS_DATE as YYYY-MM-DD, found '$BUSINESS_DATE'" ;;
  esac
  [ "$(date -u -d "$BUSINESS_DATE 00:00" +%F 2>&1)" = "$BUSINESS_DATE" ] ||
    refuse "expected BUSINESS_DATE to be a day that exists, found '$BUSINESS_DATE'"
else
  minute=${JOB_NAME:-}
  minute=${minute##*-}
  case $minute in
    [1-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]) ;;
    *)
      refuse "expected BUSINESS_DATE, or a JOB_NAME that ends with its scheduled\
 minute, found '${JOB_NAME:-}'; set BUSINESS_DATE=YYYY-MM-DD"
      ;;
  esac
  # At night the day before is billed.
  BUSINESS_DATE=$(date -u -d "@$((minute * 60 - 86400))" +%F)
fi

exec "${TENURE:-/tenure/tenure}" exec --lease billing --timeout 10m \
  --once --run-id "billing:$BUSINESS_DATE" -- \
  "$(dirname "$0")/bill.py" "$BILLING_DB" bill "$BUSINESS_DATE" --how fenced
