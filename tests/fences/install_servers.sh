#!/usr/bin/env bash
# Installs the protected stores that Debian does not have into the cache, for the
# tests of examples/fences only:
#   tests/fences/install_servers.sh [consul] [moto] [dynamodb]
# What is there already is left alone. One that cannot be had does not keep the
# others from being installed; its tests say that they were skipped.
set -uo pipefail

# The last minor release of Consul under the Mozilla Public License.
consul=v1.15.3
moto=5.2.5
dynamodb=2.6.1

cache=${TENURE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tenure}/stores
mkdir -p "$cache/bin"
building=$(mktemp -d)
trap 'rm -rf "$building"' EXIT

install_consul() {
  [ -x "$cache/bin/consul" ] && return
  local source
  source=$(cd "$building" && go mod download -json \
    "github.com/hashicorp/consul@$consul" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p') &&
    cp -r --no-preserve=mode "$source" "$building/consul" &&
    cd "$building/consul" &&
    CGO_ENABLED=0 GOFLAGS='-buildvcs=false -mod=mod -trimpath' \
      nice go build -ldflags '-s -w' -o "$building/made" . &&
    mv "$building/made" "$cache/bin/consul"
}

install_moto() {
  [ -x "$cache/moto/bin/moto_server" ] && return
  rm -rf "$cache/moto"
  /usr/bin/python3 -m venv "$cache/moto" &&
    "$cache/moto/bin/pip" install -q "moto[server,s3,dynamodb]==$moto"
}

install_dynamodb() {
  [ -d "$cache/dynamodb-local" ] && return
  mkdir "$building/maven"
  cat >"$building/maven/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>tenure</groupId><artifactId>stores</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>com.amazonaws</groupId><artifactId>DynamoDBLocal</artifactId>
    <version>$dynamodb</version>
  </dependency></dependencies>
</project>
POM
  (cd "$building/maven" && mvn -q -B dependency:copy-dependencies \
    -DoutputDirectory="$building/jars") &&
    mv "$building/jars" "$cache/dynamodb-local"
}

failed=0
for store in "$@"; do
  case $store in
    consul | moto | dynamodb) ;;
    *)
      echo "install_servers.sh: expected consul, moto or dynamodb, found" \
        "'$store'" >&2
      exit 64
      ;;
  esac
  if ! (install_"$store" >&2); then
    echo "install_servers.sh: $store could not be installed" >&2
    failed=1
  fi
done
exit $failed
