#!/usr/bin/env bash
# Configures and builds one preset: tools/build.sh dev|release|asan|tsan.
# Quiet unless something is wrong: ninja redraws one line on a terminal, and
# where there is none only its last line and what failed is kept.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
mkdir -p "build/$preset"
log=build/$preset/build.log
began=$SECONDS
{
  cmake --preset "$preset" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
  if [ -t 1 ]; then
    cmake --build --preset "$preset" "$@"
  else
    cmake --build --preset "$preset" "$@" >>"$log" 2>&1 ||
      { grep -vE '^\[[0-9]+/[0-9]+\]' "$log" | tail -200 >&2; exit 1; }
  fi
}
echo "built build/$preset in $((SECONDS - began)) s" >&2
