#!/usr/bin/env bash
# Installs the Debian packages that are missing, and only those:
#   tools/install_packages.sh build [test] [browser] [lint] [clang] [release] [stores] [more-stores]
# With nothing missing it takes a few milliseconds and asks the network nothing.
set -euo pipefail

build=(g++ cmake ninja-build ccache make pkg-config ca-certificates curl
  libssl-dev libboost-dev libcpprest-dev libyaml-cpp-dev libspdlog-dev
  nlohmann-json3-dev libcli11-dev prometheus-cpp-dev libgmock-dev
  libsqlite3-dev)
test=(python3 python3-pytest python3-pytest-xdist python3-yaml openssl binutils procps
  gcc spin etcd-server nftables iptables iproute2 faketime zsh fish)
browser=(chromium)
lint=(clang-format-19 clang-tidy-19 python3)
clang=(clang-19 libclang-rt-19-dev llvm-19)
release=(dpkg-dev patch)
# The protected stores of tests/fences: those of CI, and those of `make soak`.
stores=(postgresql redis-server python3-psycopg2 python3-redis faketime)
more_stores=(mariadb-server python3-pymysql etcd-client zookeeper python3-kazoo
  python3-venv maven)

wanted=()
for group in "$@"; do
  case $group in
    build) wanted+=("${build[@]}") ;;
    browser) wanted+=("${browser[@]}") ;;
    test) wanted+=("${test[@]}") ;;
    lint) wanted+=("${lint[@]}") ;;
    clang) wanted+=("${clang[@]}") ;;
    release) wanted+=("${release[@]}") ;;
    stores) wanted+=("${stores[@]}") ;;
    more-stores) wanted+=("${more_stores[@]}") ;;
    *)
      echo "install_packages.sh: expected build, test, browser, lint, clang," \
        "release, stores or more-stores, found '$group'" >&2
      exit 64
      ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "Not a Debian machine: going on with what is installed. If the build" \
    "misses something, install what Debian calls: ${wanted[*]}" >&2
  exit 0
fi

present=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' 2>/dev/null |
  awk '$2 == "installed" {print $1}')
missing=()
for package in "${wanted[@]}"; do
  grep -qxF -- "$package" <<<"$present" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "These Debian packages are missing, and only root can install them." \
    "Run once, then repeat your command:" >&2
  echo "  sudo apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 77
fi

echo "installing: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
options=(-y -q --no-install-recommends -o DPkg::Lock::Timeout=300)

# The tests start servers of their own; those that Debian's packages start would
# only sit on the usual ports and surprise. Debian asks this file before it
# starts anything; a machine that has one already knows what it wants.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 0755 "$policy"
fi

# The lists may be absent or old on a bare machine; they are fetched only if the
# first try fails, because that costs half a minute.
if ! apt-get install "${options[@]}" "${missing[@]}" >&2; then
  apt-get update -q >&2
  apt-get install "${options[@]}" "${missing[@]}" >&2
fi

# Nor at the next boot.
[ -d /run/systemd/system ] || exit 0
declare -A service=([etcd-server]=etcd [postgresql]=postgresql
  [redis-server]=redis-server [mariadb-server]=mariadb [zookeeper]=zookeeper)
for package in "${missing[@]}"; do
  [ -z "${service[$package]:-}" ] ||
    systemctl disable --now "${service[$package]}.service" >&2 || true
done
