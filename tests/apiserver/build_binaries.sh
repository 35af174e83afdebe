#!/usr/bin/env bash
# Builds kube-apiserver, kubectl and the tests' own client-go peer from their Go
# modules into $TENURE_CACHE/kubernetes/<version>; later calls find them there,
# and build the peer again when its source changed (it shares the packages, so
# that takes seconds). Prints the folder as its last line. One caller builds at
# a time (flock), so a second one waits instead of compiling the same 2,000
# packages again.
#
# CGO_ENABLED and -trimpath must be the same in every call: Go's build cache
# keys on both, and a difference costs a quarter of an hour.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
version=$(awk '$1 == "k8s.io/kubernetes" {print $2}' "$here/go/go.mod")
cache=${TENURE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tenure}
out=$cache/kubernetes/$version
mkdir -p "$out"
exec 9>"$out/.lock"
flock 9
export CGO_ENABLED=0 GOFLAGS='-buildvcs=false -mod=readonly -trimpath'
component=k8s.io/component-base/version
flags="-s -w -X $component.gitVersion=$version -X $component.gitMajor=1"
flags+=" -X $component.gitMinor=$(cut -d. -f2 <<<"$version")"
cd "$here/go"
build() { # name package
  go build -ldflags "$flags" -o "$out/.$1" "$2"
  mv "$out/.$1" "$out/$1"
}
for name in kube-apiserver kubectl; do
  [ -x "$out/$name" ] && continue
  echo "building $name $version (the first time takes about 15 minutes)" >&2
  build "$name" "k8s.io/kubernetes/cmd/$name"
done
# Keyed by content: a fresh clone has fresh times.
source_hash=$(cat go.mod go.sum peer/*.go | sha256sum | cut -d' ' -f1)
if [ ! -x "$out/peer" ] || [ "$(cat "$out/peer.sha256" 2>/dev/null)" != "$source_hash" ]; then
  echo "building the client-go peer" >&2
  build peer ./peer
  echo "$source_hash" >"$out/peer.sha256"
fi
echo "$out"
