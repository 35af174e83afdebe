#!/bin/sh
# What the CronJob runs: the bill of one business day, once.
#
# The day is the run's key. A CronJob names its Jobs by the scheduled minute; a
# Job started by hand (kubectl create job --from) has any name, so whoever starts
# it says BUSINESS_DATE, and both are the same run.
set -eu

if [ -z "${BUSINESS_DATE:-}" ]; then
  minute=${JOB_NAME##*-}
  case $minute in
    [1-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]) ;;
    *)
      echo "billing.sh: expected BUSINESS_DATE, or a JOB_NAME that ends with its" \
        "scheduled minute, found '$JOB_NAME'; set BUSINESS_DATE=YYYY-MM-DD" >&2
      exit 64
      ;;
  esac
  # At night the day before is billed.
  BUSINESS_DATE=$(date -u -d "@$((minute * 60 - 86400))" +%F)
fi

exec "${TENURE:-/tenure/tenure}" exec --lease billing --timeout 10m \
  --once --run-id "billing:$BUSINESS_DATE" -- \
  "$(dirname "$0")/bill.py" "$BILLING_DB" bill "$BUSINESS_DATE" --how fenced
