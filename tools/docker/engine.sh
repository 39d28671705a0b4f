# For the trials to source: a Docker engine that is there, or is started for them.

say() { printf '%s %s\n' "$(date -u +%T)" "$*"; }

engine=

# engine_up starts dockerd if none answers. It logs to the file that is named.
engine_up() {
  docker info >/dev/null 2>&1 && return
  say "starting dockerd"
  dockerd >"$1" 2>&1 &
  engine=$!
  for _ in $(seq 120); do docker info >/dev/null 2>&1 && break; sleep 0.5; done
  docker info >/dev/null || { tail -n 20 "$1" >&2; exit 1; }
}

# engine_down stops what engine_up has started. An engine may get stuck over what
# was cut off: it is not waited for.
engine_down() {
  [ -n "$engine" ] || return 0
  kill "$engine" 2>/dev/null || true
  for _ in $(seq 40); do kill -0 "$engine" 2>/dev/null || break; sleep 0.5; done
  kill -KILL "$engine" 2>/dev/null || true
}

# everystate_image builds the image of a static program, in a folder that is made.
everystate_image() {
  local name=$1 folder=$2 root=$3
  mkdir -p "$folder/data"
  if [ -n "${BINARY:-}" ]; then
    cp "$BINARY" "$folder/everystate"
  else
    (cd "$root" && CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w' -o "$folder/everystate" ./cmd/everystate)
  fi
  cp "${CA_BUNDLE:-/etc/ssl/certs/ca-certificates.crt}" "$folder/ca-certificates.crt"
  say "building the image: $("$folder/everystate" version)"
  docker build -q -f "$root/deploy/docker/Dockerfile.scratch" -t "$name" "$folder" >/dev/null
}
