#!/bin/sh
# Two pods sell three of ten pairs each, in the three ways of README.md.
set -eu

cd "$(dirname "$0")"
tenure=${TENURE:-tenure}
command -v "$tenure" >/dev/null || {
  echo "try.sh: expected tenure on the PATH, found none; add its folder, or set" \
    "TENURE=/path/to/tenure" >&2
  exit 64
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sale=$folder/sale.db

sell() {
  case $1 in
    fenced)
      "$tenure" exec --direct --lease flash-sale -- \
        ./shop.py "$sale" sell 3 --how "$1"
      ;;
    *) ./shop.py "$sale" sell 3 --how "$1" ;;
  esac
}

for how in read-then-write conditional fenced; do
  rm -f "$sale"
  ./shop.py "$sale" open 10
  sell "$how" &
  one=$!
  sell "$how" &
  two=$!
  failed=
  wait "$one" || failed=yes
  wait "$two" || failed=yes
  # It sold nothing, so what is left would tell nothing.
  if [ "$failed" ]; then
    echo "try.sh: a pod of $how failed" >&2
    exit 1
  fi
  echo "$how leaves $(./shop.py "$sale" stock)"
done
