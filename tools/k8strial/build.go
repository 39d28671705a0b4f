package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// kubernetes are the programs of this module, by their packages.
var kubernetes = map[string]string{
	"etcd":                    "go.etcd.io/etcd/server/v3",
	"kube-apiserver":          "k8s.io/kubernetes/cmd/kube-apiserver",
	"kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
	"kube-proxy":              "k8s.io/kubernetes/cmd/kube-proxy",
	"kube-scheduler":          "k8s.io/kubernetes/cmd/kube-scheduler",
	"kubectl":                 "k8s.io/kubernetes/cmd/kubectl",
	"kubelet":                 "k8s.io/kubernetes/cmd/kubelet",
	"coredns":                 "./coredns",
	"pause":                   "./pause",
}

// compile builds what is not in bin yet, one program after the other, and Everystate
// itself anew, twice, as two versions.
func compile(ctx context.Context, top, bin string) error {
	here := filepath.Join(top, "tools", "k8strial")
	version, err := output(ctx, here, "go", "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes")
	if err != nil {
		return err
	}
	flags := "-s -w -X k8s.io/component-base/version.gitVersion=" + strings.TrimSpace(version)
	for name, pkg := range kubernetes {
		if _, err := os.Stat(filepath.Join(bin, name)); err == nil {
			continue
		}
		began := time.Now()
		if err := goBuild(ctx, here, filepath.Join(bin, name), flags, pkg); err != nil {
			return err
		}
		say("%s is built, in %s", name, time.Since(began).Round(time.Second))
	}
	s3 := filepath.Join(bin, "versitygw")
	if _, err := os.Stat(s3); err != nil {
		if err := goBuild(ctx, top, s3, "-s -w", "-modfile=tools/s3/go.mod", "github.com/versity/versitygw/cmd/versitygw"); err != nil {
			return err
		}
	}
	for _, version := range versions {
		flags := "-s -w -X main.stampVersion=" + version
		if err := goBuild(ctx, top, filepath.Join(bin, version, "everystate"), flags, "./cmd/everystate"); err != nil {
			return err
		}
	}
	return nil
}

// versions are those of the two images of Everystate.
var versions = [2]string{"v0.0.1-trial", "v0.0.2-trial"}

func goBuild(ctx context.Context, dir, out, flags string, args ...string) error {
	args = append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", out}, args...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, said)
	}
	return nil
}

// output runs a program and returns what it prints.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		var said string
		if exit, ok := err.(*exec.ExitError); ok {
			said = string(exit.Stderr)
		}
		return string(out), fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(name), strings.Join(args, " "), err, out, said)
	}
	return string(out), nil
}
