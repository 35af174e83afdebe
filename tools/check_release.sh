#!/usr/bin/env bash
# Is this the binary that the documentation promises: hardened, linked to libc and
# its loader alone, and able to run?
#   tools/check_release.sh build/release/sidecar/cli/tenure
set -euo pipefail
binary=$1
failed=0

# expect WHAT PATTERN TEXT
expect() {
  grep -qE "$2" <<<"$3" && return
  echo "$binary: expected $1, found none" >&2
  failed=1
}

dynamic=$(readelf -d "$binary")
segments=$(readelf -lW "$binary")
expect "a position-independent executable" 'FLAGS_1.*PIE' "$dynamic"
expect "all symbols bound at the start" 'FLAGS_1.*NOW' "$dynamic"
expect "relocations that are read-only afterwards" 'GNU_RELRO' "$segments"
expect "a stack that is not executable" 'GNU_STACK .* RW ' "$segments"
expect "stack protectors" '__stack_chk_fail' "$(readelf -W --dyn-syms "$binary")"
more=$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<<"$dynamic" |
  grep -vE '^(libc\.so\.6|libm\.so\.6|ld-linux-[a-z0-9_-]+\.so\.[0-9])$' || true)
if [ -n "$more" ]; then
  echo "$binary: expected no library but libc, libm and the loader, found:" $more >&2
  failed=1
fi
"$binary" version >/dev/null || failed=1
exit $failed
