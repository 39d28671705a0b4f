#!/usr/bin/env bash
# Builds the page from internal/web/src into a folder, internal/web/dist by default. It needs Go
# alone: esbuild is built from the version pinned in tools/web.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=${1:-internal/web/dist}
mkdir -p "$out"
rm -f "$out"/*
go tool -modfile=tools/web/go.mod esbuild internal/web/src/app.ts internal/web/src/style.css internal/web/src/index.html internal/web/src/icon.svg \
  --bundle --splitting --format=esm --target=es2022 --minify --legal-comments=none --charset=utf8 \
  --loader:.html=copy --loader:.svg=copy --chunk-names='[name]-[hash]' --entry-names='[name]' --outdir="$out" --log-level=warning
