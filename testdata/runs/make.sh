#!/usr/bin/env bash
# Makes COMMIT.tar.gz beside itself: runs as the program of that commit writes them.
# README.md says what is in it. From the top of the repository:
#
#   testdata/runs/make.sh COMMIT
set -euo pipefail
commit=$1
root=$(git rev-parse --show-toplevel)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/sources" "$work/runs"
git -C "$root" archive "$commit" | tar x -C "$work/sources"
(cd "$work/sources" && go build -buildvcs=false -o "$work/everystate" ./cmd/everystate)
board=$root/puzzles/rushhour/small-5x5.txt
cd "$work/runs"
"$work/everystate" explore "$board" --run complete --goal-distance --quiet >/dev/null
"$work/everystate" explore "$board" --run stopped --max-depth 9 --quiet >/dev/null || [ $? = 3 ]
tar c --owner=0 --group=0 --numeric-owner --mtime=@0 --sort=name complete stopped | gzip -n9 >"$root/testdata/runs/$commit.tar.gz"
