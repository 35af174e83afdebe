#!/bin/sh
# Moves money between two accounts, under the leases of both:
#   transfer.sh DB FROM TO AMOUNT [tenure exec's flags...]
set -eu
db=$1 from=$2 to=$3 amount=$4
shift 4
here=$(dirname "$0")

# Named in any order: tenure waits for them in sorted order, so that a transfer
# the other way round cannot hold what this one waits for.
exec "${TENURE:-tenure}" exec --direct \
  --lease "$("$here/payments.py" leases "$from" "$to")" "$@" -- \
  "$here/payments.py" transfer "$db" "$from" "$to" "$amount" \
  --between "${BETWEEN:-true}"
