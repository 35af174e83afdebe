#!/usr/bin/env bash
# Configures and builds one preset:
#   tools/build.sh dev|release|asan|tsan|fuzz|coverage [CMAKE_OPTION...]
# TENURE_TARGET: that target alone.
# On a terminal ninja redraws one line; elsewhere only what failed is shown.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
mkdir -p "build/$preset"
log=build/$preset/build.log
target=(${TENURE_TARGET:+--target "$TENURE_TARGET"})

# Two builds of one folder would write the same files.
exec 9>"build/$preset/.lock"
flock --nonblock 9 || {
  echo "build/$preset: another build is going on; waiting for it" >&2
  flock 9
}
began=$SECONDS
: >"$log" # or say that this folder is another user's
[ -t 1 ] || [ -e "build/$preset/build.ninja" ] ||
  echo "building build/$preset for the first time: minutes; progress is in $log" >&2

cmake --preset "$preset" "$@" >"$log" 2>&1 || {
  cat "$log" >&2
  exit 1
}
if [ -t 1 ]; then
  cmake --build --preset "$preset" "${target[@]}"
else
  cmake --build --preset "$preset" "${target[@]}" >>"$log" 2>&1 || {
    grep -vE '^\[[0-9]+/[0-9]+\]' "$log" | tail -200 >&2
    exit 1
  }
fi
echo "built build/$preset in $((SECONDS - began)) s" >&2
