#!/usr/bin/env bash
# Configures and builds one preset:
#   tools/build.sh dev|release|asan|tsan|fuzz|coverage [CMAKE_OPTION...]
# On a terminal ninja redraws one line; elsewhere only what failed is shown.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
mkdir -p "build/$preset"
log=build/$preset/build.log
began=$SECONDS

cmake --preset "$preset" "$@" >"$log" 2>&1 || {
  cat "$log" >&2
  exit 1
}
if [ -t 1 ]; then
  cmake --build --preset "$preset"
else
  cmake --build --preset "$preset" >>"$log" 2>&1 || {
    grep -vE '^\[[0-9]+/[0-9]+\]' "$log" | tail -200 >&2
    exit 1
  }
fi
echo "built build/$preset in $((SECONDS - began)) s" >&2
