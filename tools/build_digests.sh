#!/usr/bin/env bash
# Builds the simulation with clang and compares the digests of its histories with
# those of the development build: one seed gives one history on every compiler.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake -S . -B build/clang -G Ninja -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_COMPILER=clang++-19 >build/clang.log 2>&1 &&
  cmake --build build/clang --target sim_digests >>build/clang.log 2>&1 || {
  tail -50 build/clang.log >&2
  exit 1
}
diff <(build/dev/tests/sim/sim_digests) <(build/clang/tests/sim/sim_digests) || {
  echo 'g++ and clang disagree on the histories of the seeds above' >&2
  exit 1
}
echo "g++ and clang: the same histories, seed by seed" >&2
