#!/usr/bin/env bash
# Runs a coordinator and three workers as containers of a real Docker engine, on a
# network of their own, and has them enumerate a space while containers are killed,
# paused, cut off and replaced by empty ones, and again until there have been all
# faults. Every digest must be that of an undisturbed run. Needs root and docker.io
# (Debian: apt-get install docker.io); no image is pulled: all are built FROM scratch.
#
#   tools/docker/trial.sh          make docker-trial
#
#   BINARY=FILE  a static program to put into the image (default: built here)
#   BOARD=FILE   what to enumerate (default puzzles/rushhour/large-8x8.txt, 10,219,743 states)
#   FAULTS=N     how many faults (default 12)
#
# An engine that is started here is stopped at the end; one that runs is used.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
board=${BOARD:-$root/puzzles/rushhour/large-8x8.txt}
faults=${FAULTS:-12}
work=$(mktemp -d)
name=everystate-trial-$$

# shellcheck source-path=SCRIPTDIR
. "$root/tools/docker/engine.sh"

# finish clears up. Nothing of the engine is waited for: the result is the trial's.
finish() {
  local code=$?
  if [ $code -ne 0 ]; then timeout 30 docker ps -a --filter "label=$name" || true; fi
  {
    timeout 60 docker ps -aq --filter "label=$name" | xargs -r timeout 60 docker rm -f
    timeout 60 docker volume ls -q --filter "label=$name" | xargs -r timeout 60 docker volume rm -f
    timeout 60 docker network rm "$name"
    timeout 60 docker image rm -f "$name"
  } >/dev/null 2>&1 || true
  engine_down
  rm -rf "$work"
  exit $code
}
trap finish EXIT

command -v dockerd >/dev/null && command -v docker >/dev/null || { echo "there is no Docker engine: apt-get install docker.io" >&2; exit 2; }
engine_up "$work/dockerd.log"
mkdir -p "$work/bucket"
everystate_image "$name" "$work/image" "$root"

say "an undisturbed run, for its digest"
want=$("$work/image/everystate" explore "$board" --run "$work/alone" --quiet --json | sed 's/.*"digest":"\([0-9a-f]*\)".*/\1/')
say "digest $want"

docker network create --label "$name" "$name" >/dev/null
# One bucket for all, which everybody in the image may write.
docker volume create --label "$name" "$name-bucket" >/dev/null
hardened=(--label "$name" --network "$name" --read-only --cap-drop ALL --security-opt no-new-privileges --pids-limit 4096 --restart no)

coordinator() {
  docker run -d --name "$name-coordinator" --hostname coordinator --network-alias coordinator "${hardened[@]}" --memory 512m \
    -v "$name-bucket:/data" -p 127.0.0.1::7000 "$name" \
    coordinator --listen 0.0.0.0:7000 --insecure --data /data/coordinator --bucket file:///data/bucket --lease 3s >/dev/null
}
worker() {
  docker run -d --name "$name-$1" --hostname "$1" --network-alias "$1" "${hardened[@]}" --memory 512m \
    -v "$name-bucket:/data" "$name" \
    worker --coordinator coordinator:7000 --listen 0.0.0.0:7000 --advertise "$1:7000" --insecure --data "/data/$1" --memory 128MiB --lanes 1 >/dev/null
}
ask() { docker exec "$name-coordinator" /everystate "$@" 2>/dev/null; }
status() { ask status "127.0.0.1:7000/trial-$runs" --json || true; }
complete() { [[ $(status) == *'"complete":true'* ]]; }

# begin submits the next run, and judge looks at what came of it.
runs=0
begin() {
  runs=$((runs + 1))
  for _ in $(seq 60); do
    "$work/image/everystate" submit "$board" --name "trial-$runs" --coordinator "$(docker port "$name-coordinator" 7000/tcp | head -n 1)" --json >/dev/null && break
    sleep 1
  done
  say "run $runs is submitted"
}
judge() {
  local got
  got=$(ask watch "127.0.0.1:7000/trial-$runs" --json --quiet | sed 's/.*"digest":"\([0-9a-f]*\)".*/\1/')
  say "run $runs is complete, digest $got"
  [ "$got" = "$want" ] || { say "want $want"; exit 1; }
}

coordinator
made=3
for n in 1 2 3; do worker "worker-$n"; done
for _ in $(seq 60); do ask health 127.0.0.1:7000 >/dev/null && break; sleep 0.5; done
begin

workers=(worker-1 worker-2 worker-3)
RANDOM=1
for n in $(seq "$faults"); do
  sleep $((1 + RANDOM % 3))
  if complete; then judge; begin; fi
  i=$((RANDOM % 3)); w=${workers[$i]}
  case $((n % 5)) in
    1) say "$w killed and started again"; docker kill "$name-$w" >/dev/null; docker start "$name-$w" >/dev/null ;;
    2) say "$w paused for longer than its lease"; docker pause "$name-$w" >/dev/null; sleep 4; docker unpause "$name-$w" >/dev/null ;;
    3) say "$w cut off the network"; docker network disconnect "$name" "$name-$w"; sleep 4; docker network connect --alias "$w" "$name" "$name-$w" ;;
    4) made=$((made + 1)); say "$w removed, an empty worker-$made in its place"; docker rm -f "$name-$w" >/dev/null; workers[i]=worker-$made; worker "worker-$made" ;;
    0) say "the coordinator killed and started again"; docker kill "$name-coordinator" >/dev/null; docker start "$name-coordinator" >/dev/null ;;
  esac
done
for _ in $(seq 600); do complete && break; sleep 1; done
complete || { say "not complete: $(status)"; exit 1; }
judge
health=$(docker inspect -f '{{.State.Health.Status}}' "$name-coordinator")
say "the coordinator is $health"
say "passed: $runs runs, $faults faults"
