#!/usr/bin/env bash
# Runs deploy/compose.yaml on a real Docker engine, as it is, where no image can be
# pulled: the images it names are built FROM scratch, everystate of a binary built
# here, versitygw of tools/s3 with Debian's busybox, Prometheus of Debian's. Grafana
# is in no package: it is left out. A run of ten million states is kept in the bucket,
# what Prometheus knows is looked at, everything is stopped, started again, and the
# run asked for. Needs root, docker.io, busybox-static and prometheus of Debian.
#
#   tools/docker/compose.sh        make compose-trial
#
#   COMPOSE=FILE   docker-compose of version 2 (default: the pinned one, built here)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
board=$root/puzzles/rushhour/large-8x8.txt
work=$(mktemp -d)

# shellcheck source-path=SCRIPTDIR
. "$root/tools/docker/engine.sh"
compose() { "$compose" -f "$root/deploy/compose.yaml" "$@"; }

finish() {
  local code=$?
  if [ $code -ne 0 ]; then timeout 30 "$compose" -f "$root/deploy/compose.yaml" logs --tail 20 || true; fi
  timeout 120 "$compose" -f "$root/deploy/compose.yaml" down --volumes --timeout 20 >/dev/null 2>&1 || true
  timeout 60 docker image rm -f everystate:dev versity/versitygw:v1.8.0 prom/prometheus:v3.5.0 >/dev/null 2>&1 || true
  engine_down
  rm -rf "$work"
  exit $code
}

for need in docker dockerd /bin/busybox prometheus; do
  command -v $need >/dev/null || { echo "there is no $need: apt-get install docker.io busybox-static prometheus" >&2; exit 2; }
done
cd "$root"
compose=${COMPOSE:-$work/docker-compose}
if [ -z "${COMPOSE:-}" ]; then
  say "building docker-compose"
  go build -modfile=tools/compose/go.mod -o "$compose" github.com/docker/compose/v2/cmd
fi
trap finish EXIT
engine_up "$work/dockerd.log"
everystate_image everystate:dev "$work/everystate" "$root"

say "building the images of the others"
mkdir -p "$work/s3/bin" "$work/s3/tmp" "$work/s3/data"
CGO_ENABLED=0 go build -modfile=tools/s3/go.mod -o "$work/s3/bin/versitygw" github.com/versity/versitygw/cmd/versitygw
cp /bin/busybox "$work/s3/bin/"
for name in sh mkdir; do ln -s busybox "$work/s3/bin/$name"; done
printf 'FROM scratch\nCOPY . /\nENV PATH=/bin\nVOLUME /data\n' >"$work/s3.Dockerfile"
docker build -q -f "$work/s3.Dockerfile" -t versity/versitygw:v1.8.0 "$work/s3" >/dev/null

mkdir -p "$work/prometheus/bin" "$work/prometheus/empty"
cp "$(command -v prometheus)" "$work/prometheus/bin/prometheus"
ldd "$(command -v prometheus)" | grep -o '/[^ ]*' | while read -r lib; do
  mkdir -p "$work/prometheus$(dirname "$lib")"
  cp -L "$lib" "$work/prometheus$lib"
done
printf 'FROM scratch\nCOPY . /\nCOPY --chown=65534:65534 empty /prometheus\nUSER 65534\nVOLUME /prometheus\nENTRYPOINT ["/bin/prometheus"]\n' >"$work/prometheus.Dockerfile"
docker build -q -f "$work/prometheus.Dockerfile" -t prom/prometheus:v3.5.0 "$work/prometheus" >/dev/null

everystate=$work/everystate/everystate
services=(coordinator worker-1 worker-2 worker-3 s3 prometheus)
say "an undisturbed run, for its digest"
want=$("$everystate" explore "$board" --run "$work/alone" --quiet --json | sed 's/.*"digest":"\([0-9a-f]*\)".*/\1/')

say "docker compose up"
compose up --no-build --pull never --quiet-pull --detach "${services[@]}" >"$work/up.log" 2>&1 || { cat "$work/up.log"; exit 1; }
got=$("$everystate" submit "$board" --coordinator 127.0.0.1:7000 --name large --wait --quiet --json | sed 's/.*"digest":"\([0-9a-f]*\)".*/\1/')
say "digest $got"
[ "$got" = "$want" ] || { say "want $want"; exit 1; }

asked() { "$everystate" status 127.0.0.1:7000/large --json; }
ask_prometheus() { curl -fsS "http://127.0.0.1:9090/api/v1/query" --data-urlencode "query=$1"; }
for _ in $(seq 60); do
  up=$(ask_prometheus 'count(up{job=~"everystate-.*"} == 1)' 2>/dev/null || true)
  states=$(ask_prometheus 'max(everystate_run_states{run="large"})' 2>/dev/null || true)
  [[ $up == *'"4"]'* && $states == *10219743* ]] && break
  sleep 1
done
[[ $up == *'"4"]'* ]] || { say "Prometheus sees $up"; exit 1; }
[[ $states == *10219743* ]] || { say "Prometheus sees $states"; exit 1; }
say "Prometheus sees 4 processes and 10219743 states"

say "docker compose stop, and up again"
compose stop >/dev/null 2>&1
compose up --no-build --pull never --detach "${services[@]}" >"$work/up.log" 2>&1 || { cat "$work/up.log"; exit 1; }
for _ in $(seq 60); do [[ $(asked 2>/dev/null || true) == *'"complete":true'* ]] && break; sleep 1; done
[[ $(asked) == *'"complete":true'* ]] || { asked; exit 1; }
compose ps --format '{{.Service}} {{.State}} {{.Health}}'
say "passed"
