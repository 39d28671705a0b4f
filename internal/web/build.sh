#!/usr/bin/env bash
# Builds the page, and that of a file that is sent by itself, from internal/web/src into the
# folders dist and playable/dist of another one, internal/web by default. It needs Go alone:
# esbuild is built from the version pinned in tools/web.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=${1:-internal/web}
src=internal/web/src
mkdir -p "$out/dist" "$out/playable/dist"
rm -f "$out"/dist/* "$out"/playable/dist/*
build() {
  go tool -modfile=tools/web/go.mod esbuild "$@" --bundle --target=es2022 --minify --legal-comments=none --charset=utf8 --log-level=warning
}
build $src/app.ts $src/style.css $src/index.html $src/icon.svg --splitting --format=esm \
  --loader:.html=copy --loader:.svg=copy --chunk-names='[name]-[hash]' --entry-names='[name]' --outdir="$out/dist"
build $src/playable.ts --format=iife --outfile="$out/playable/dist/playable.js"
build $src/style.css --outfile="$out/playable/dist/playable.css"
