#!/usr/bin/env bash
# Builds the static libraries Debian does not ship (cpprestsdk, and the core of
# prometheus-cpp) from Debian's own source packages, for `make release`.
#
# Sources come through apt from wherever this machine's apt is configured to
# look, under an apt configuration of our own: the machine's is only read. The
# result goes to ${TENURE_CACHE:-${XDG_CACHE_HOME:-~/.cache}/tenure}/deps-<key>,
# where the key covers this script, the patches and the compiler; a finished
# prefix is used again. The last line printed is the prefix; all else goes to
# stderr. Needs: apt-get, dpkg-dev, patch, cmake, ninja, g++, Boost and OpenSSL.
#
# TENURE_DEPS_SANITIZE=thread: a second set, built with ThreadSanitizer, which
# sees nothing of what is handed over inside a library that was not.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
cache="${TENURE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tenure}"
key="$({ cat "$here/build_static_dependencies.sh" "$here"/patches/*.patch
         "${CXX:-g++}" -dumpfullversion -dumpmachine; } | sha256sum)"
sanitize="${TENURE_DEPS_SANITIZE:-}"
prefix="$cache/deps-${key:0:12}${sanitize:+-$sanitize}"

if [[ "${1:-}" == --print-prefix ]]; then
  echo "$prefix"
  exit 0
fi

mkdir -p "$cache"
exec 9>"$cache/deps.lock"
flock 9  # two checkouts share the cache

if [[ -f "$prefix/complete" ]]; then
  echo "$prefix"
  exit 0
fi
for tool in apt-get dpkg-source patch cmake ninja "${CXX:-g++}"; do
  command -v "$tool" >/dev/null || {
    echo "make deps: expected $tool on the PATH, found none;" \
         "install dpkg-dev, patch, cmake, ninja-build and g++" >&2
    exit 1
  }
done

work="$(mktemp -d "$cache/deps-build.XXXXXX")"
trap 'rm -rf "$work"' EXIT

# The machine's sources with every entry turned into a source entry.
copy_sources_as_deb_src() {
  local etc="$work/apt/sources.list.d" sources=() lists=()
  mkdir -p "$etc" "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
  shopt -s nullglob
  sources=(/etc/apt/sources.list.d/*.sources)
  lists=(/etc/apt/sources.list.d/*.list)
  [[ -s /etc/apt/sources.list ]] && lists+=(/etc/apt/sources.list)
  shopt -u nullglob
  local file
  for file in "${sources[@]}"; do
    sed -E 's/^[Tt]ypes:.*/Types: deb-src/' "$file" >"$etc/$(basename "$file")"
  done
  for file in "${lists[@]}"; do
    sed -nE 's/^[[:space:]]*deb(-src)?([[:space:]].*)/deb-src\2/p' "$file" |
      sort -u >"$etc/$(basename "$file" .list).list"
  done
}

apt_get() {
  apt-get -q -o Dir::Etc::sourcelist=/dev/null \
    -o Dir::Etc::sourceparts="$work/apt/sources.list.d" \
    -o Dir::State::lists="$work/apt/lists" \
    -o Dir::Cache="$work/apt/cache" \
    -o APT::Sandbox::User="$(id -un)" "$@"
}

fetch() {  # fetch <source package>: unpacked and patched in $work/<package>
  (cd "$work" && apt_get source --only-source "$1" >&2)
  local unpacked=("$work/$1"-*/)
  mv "${unpacked[0]}" "$work/$1"
  local patch
  for patch in "$here/patches/$1"-*.patch; do
    [[ -f "$patch" ]] || continue
    patch -d "$work/$1" -p1 --forward --fuzz=0 <"$patch" >&2
  done
}

build() {  # build <source dir> <name> <cmake options...>
  local source="$1" name="$2"
  shift 2
  local launcher=()
  command -v ccache >/dev/null &&
    launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  # Paths out of the objects: ccache hits in any checkout, and no build folder
  # is named in the binary.
  local flags="-Os -DNDEBUG -ffunction-sections -fdata-sections"
  flags+=" -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3"
  [[ -n "$sanitize" ]] && flags="-O1 -g1 -fsanitize=$sanitize -Wno-tsan"
  flags+=" -ffile-prefix-map=$work=."
  CCACHE_BASEDIR="$work" CCACHE_NOHASHDIR=1 \
    cmake -S "$source" -B "$work/build-$name" -G Ninja \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="$flags" \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_INSTALL_PREFIX="$work/prefix" -DCMAKE_INSTALL_LIBDIR=lib \
    "${launcher[@]}" "$@" >&2
  CCACHE_BASEDIR="$work" CCACHE_NOHASHDIR=1 \
    nice ninja -C "$work/build-$name" install >&2
}

copy_sources_as_deb_src
apt_get update >&2
fetch cpprest
fetch prometheus-cpp
build "$work/cpprest" cpprest -DCPPREST_EXCLUDE_WEBSOCKETS=ON \
  -DCPPREST_EXCLUDE_COMPRESSION=ON -DCPPREST_EXCLUDE_BROTLI=ON \
  -DBUILD_TESTS=OFF -DBUILD_SAMPLES=OFF -DWERROR=OFF
build "$work/prometheus-cpp" prometheus-cpp -DENABLE_PULL=OFF \
  -DENABLE_PUSH=OFF -DENABLE_TESTING=OFF -DENABLE_COMPRESSION=OFF \
  -DUSE_THIRDPARTY_LIBRARIES=OFF

rm -rf "$prefix"
mv "$work/prefix" "$prefix"
touch "$prefix/complete"
echo "$prefix"
