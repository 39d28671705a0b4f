// Command release builds the release files: for each system a static binary, packed
// with the manual, completions for shells and, on Linux, the systemd units; for each
// binary an SPDX document of its contents; and the checksums of all.
//
// The same commit gives the same bytes, on any machine and in any directory: nothing
// of either, and no time except the commit's, may get into them. `-again` verifies
// that.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// allTargets are the systems that binaries are built for.
const allTargets = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

// release describes what to build.
type release struct {
	root, out       string
	version, commit string
	time            time.Time // of the commit
	targets         []target
}

type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

func (t target) program() string {
	if t.os == "windows" {
		return "everystate.exe"
	}
	return "everystate"
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	out := flags.String("out", "dist/release", "`DIR` for what is built, which is emptied")
	targets := flags.String("targets", allTargets, "build for `A,B`, each GOOS/GOARCH")
	version := flags.String("version", "", "the `VERSION` (default what git describe says)")
	again := flags.Bool("again", false, "build everything a second time elsewhere, and compare")
	if err := flags.Parse(args); err != nil {
		return err
	}
	r := release{out: *out, version: *version}
	if err := r.find(ctx); err != nil {
		return err
	}
	for t := range strings.SplitSeq(*targets, ",") {
		goos, arch, ok := strings.Cut(t, "/")
		if !ok {
			return fmt.Errorf("-targets %q: must be GOOS/GOARCH", t)
		}
		r.targets = append(r.targets, target{goos, arch})
	}
	if err := r.make(ctx); err != nil {
		return err
	}
	if !*again {
		return nil
	}
	return r.compareAgain(ctx)
}

// find asks git what to release.
func (r *release) find(ctx context.Context) (err error) {
	if r.root, err = output(ctx, "", nil, "git", "rev-parse", "--show-toplevel"); err != nil {
		return err
	}
	if r.commit, err = output(ctx, r.root, nil, "git", "rev-parse", "HEAD"); err != nil {
		return err
	}
	if r.version == "" {
		if r.version, err = output(ctx, r.root, nil, "git", "describe", "--tags", "--always", "--dirty"); err != nil {
			return err
		}
	}
	seconds, err := output(ctx, r.root, nil, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	r.time = time.Unix(n, 0).UTC()
	return err
}

// make builds everything into the directory.
func (r *release) make(ctx context.Context) error {
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "everystate-release-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work) //nolint:errcheck // it is a temporary directory
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	host := target{runtime.GOOS, runtime.GOARCH}
	program := func(t target) string { return filepath.Join(work, t.os+"-"+t.arch) }
	pages, err := r.pages(ctx, host, program(host))
	if err != nil {
		return err
	}
	for _, t := range r.targets {
		if t != host { // already built
			if err := r.build(ctx, t, program(t)); err != nil {
				return fmt.Errorf("%v: %w", t, err)
			}
		}
		if err := r.pack(t, program(t), pages); err != nil {
			return fmt.Errorf("%v: %w", t, err)
		}
		fmt.Println(r.name(t))
	}
	return writeSums(r.out)
}

func (r *release) name(t target) string {
	return fmt.Sprintf("everystate_%s_%s_%s", strings.TrimPrefix(r.version, "v"), t.os, t.arch)
}

// build builds the program for a target.
func (r *release) build(ctx context.Context, t target, program string) error {
	ldflags := fmt.Sprintf("-s -w -buildid= -X main.stampVersion=%s -X main.stampCommit=%s", r.version, r.commit)
	_, err := output(ctx, r.root, []string{"CGO_ENABLED=0", "GOOS=" + t.os, "GOARCH=" + t.arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT="},
		"go", "build", "-trimpath", "-buildvcs=false", "-ldflags", ldflags, "-o", program, "./cmd/everystate")
	return err
}

// pages returns the manual and the completions, which the program itself generates.
func (r *release) pages(ctx context.Context, host target, program string) ([]file, error) {
	if err := r.build(ctx, host, program); err != nil {
		return nil, err
	}
	var all []file
	for _, p := range []struct {
		name string
		args []string
	}{
		{"man/everystate.1", []string{"man"}},
		{"completions/everystate.bash", []string{"completion", "bash"}},
		{"completions/_everystate", []string{"completion", "zsh"}},
		{"completions/everystate.fish", []string{"completion", "fish"}},
		{"completions/everystate.ps1", []string{"completion", "powershell"}},
	} {
		text, err := output(ctx, r.root, nil, program, p.args...)
		if err != nil {
			return nil, err
		}
		all = append(all, file{name: p.name, mode: 0o644, body: []byte(text + "\n")})
	}
	return all, nil
}

// pack writes the archive and the SPDX document of a built target.
func (r *release) pack(t target, program string, pages []file) error {
	body, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	files := append([]file{{name: t.program(), mode: 0o755, body: body}}, pages...)
	with := []string{"LICENSE", "README.md", "CHANGELOG.md"}
	if t.os == "linux" {
		with = append(with, "deploy/systemd/everystate-coordinator.service", "deploy/systemd/everystate-worker@.service")
	}
	for _, name := range with {
		body, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		files = append(files, file{name: strings.TrimPrefix(name, "deploy/"), mode: 0o644, body: body})
	}
	name := r.name(t)
	archive, suffix := tarball, ".tar.gz"
	if t.os == "windows" {
		archive, suffix = zipped, ".zip"
	}
	packed, err := archive(name, files, r.time)
	if err != nil {
		return err
	}
	bom, err := spdx(program, r, t, body)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(r.out, name+suffix), packed, 0o644),
		os.WriteFile(filepath.Join(r.out, name+".spdx.json"), bom, 0o644),
	)
}

// compareAgain builds the same commit again, from a copy in another directory, and
// compares the checksums.
func (r *release) compareAgain(ctx context.Context) error {
	elsewhere, err := os.MkdirTemp("", "everystate-again-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(elsewhere) //nolint:errcheck // it is a temporary directory
	sources := filepath.Join(elsewhere, "sources")
	if _, err := output(ctx, r.root, nil, "git", "clone", "--quiet", "--no-checkout", r.root, sources); err != nil {
		return err
	}
	if _, err := output(ctx, sources, nil, "git", "checkout", "--quiet", r.commit); err != nil {
		return err
	}
	second := *r
	second.root, second.out = sources, filepath.Join(elsewhere, "out")
	if err := second.make(ctx); err != nil {
		return err
	}
	a, err := os.ReadFile(filepath.Join(r.out, sumsFile))
	if err != nil {
		return err
	}
	b, err := os.ReadFile(filepath.Join(second.out, sumsFile))
	if err != nil {
		return err
	}
	if !bytes.Equal(a, b) {
		return fmt.Errorf("a second build differs (or files are changed and not committed)\n%s\n%s", a, b)
	}
	fmt.Println("built again elsewhere: the same bytes")
	return nil
}

// output runs a program and returns its output, without the final newline.
func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, said.String())
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
