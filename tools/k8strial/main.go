// K8strial runs deploy/kubernetes on a Kubernetes of one machine: a control plane,
// two nodes (a kubelet and a containerd each), CoreDNS, kube-proxy, a provisioner of
// volumes, an S3 server and Prometheus, all of them real and built here or taken from
// Debian. It explores a space of ten million states again and again while it deletes
// pods and volumes, scales, drains a node and replaces the image, and it fails unless
// every digest is that of an undisturbed run on this machine and the alerts are those
// that docs/OPERATIONS.md announces.
//
// It needs root, pulls no image, and must never leave anything behind but bin/k8s:
// processes, mounts, addresses, control groups and kernel settings are as before.
// It is not for machines that run Kubernetes or containerd for something else.
//
//	go run -C tools/k8strial .        make k8s-trial
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// limit bounds the trial, without the time to compile Kubernetes.
const limit = 45 * time.Minute

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "k8strial:", err)
		os.Exit(1)
	}
}

func run() error {
	root := flag.String("root", "../..", "the top of the repository")
	keep := flag.Bool("keep", false, "keep logs and volumes at the end")
	hold := flag.Bool("hold", false, "on failure, wait for Ctrl-C before anything is stopped")
	flag.Parse()
	top, err := filepath.Abs(*root)
	if err != nil {
		return err
	}
	if err := needs(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	bin := filepath.Join(top, "bin", "k8s")
	if err := compile(ctx, top, bin); err != nil {
		return err
	}
	// Short: paths of sockets have at most 107 bytes.
	work, err := os.MkdirTemp("", "k8s")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	t := &trial{top: top, bin: bin, work: work, procs: newProcs(filepath.Join(work, "log"))}
	say("everything is logged in %s", t.procs.logs)
	err = t.run(ctx)
	if err != nil && *hold && ctx.Err() == nil {
		say("failed: %v; KUBECONFIG=%s; Ctrl-C to clean up", err, t.kubeconfig("admin"))
		<-ctx.Done()
	}
	if err != nil {
		t.explain()
	}
	err = errors.Join(err, t.cleanUp())
	if !*keep {
		err = errors.Join(err, os.RemoveAll(work))
	}
	if err == nil {
		say("passed")
	}
	return err
}

// needs says everything that this machine lacks, at once.
func needs() error {
	var missing []string
	if os.Geteuid() != 0 {
		missing = append(missing, "root")
	}
	for _, p := range []string{"containerd", "ctr", "runc", "nft", "prometheus", "ip", "mount", "ldd"} {
		if _, err := exec.LookPath(p); err != nil {
			missing = append(missing, "the program "+p)
		}
	}
	for _, f := range []string{filepath.Join(cniPlugins, "ptp"), filepath.Join(cniPlugins, "host-local"), "/dev/kmsg", "/sys/fs/cgroup"} {
		if _, err := os.Stat(f); err != nil {
			missing = append(missing, f)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("this machine lacks %s; Debian has the programs in: apt-get install containerd runc containernetworking-plugins nftables prometheus", strings.Join(missing, ", "))
	}
	return nil
}

func say(format string, args ...any) {
	fmt.Printf("%s %s\n", time.Now().UTC().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}
