#!/usr/bin/env bash
# `make run`: a sidecar with the embedded API server, and where to look at it.
#   tools/run_demo.sh BINARY [FLAG...]
set -uo pipefail
binary=$1
shift
port=7421

"$binary" run --embedded --log-format text --status-port "$port" "$@" &
sidecar=$!
stop() { kill -TERM "$sidecar" 2>/dev/null; }
trap stop INT TERM HUP

url=http://127.0.0.1:$port/v1/generation
generation=
for _ in $(seq 200); do
  kill -0 "$sidecar" 2>/dev/null || break
  generation=$(curl -sf --max-time 1 "$url") && break
  sleep 0.05
done
if [ -n "$generation" ]; then
  cat <<TEXT

The lease "demo" is held, on an API server inside this process. In another
terminal, read the generation that fences its writes:

  curl $url

It is $generation now. The first number is a resource version of the API server
(plus one), so it is not 1; each that follows is higher, though not by one, even
if the Lease is deleted in between. Ctrl-C releases the lease and stops.

TEXT
fi

# A signal ends `wait` early; the sidecar's own end is what counts.
while kill -0 "$sidecar" 2>/dev/null; do
  wait "$sidecar"
done
wait "$sidecar"
