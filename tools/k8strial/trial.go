package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// trial is a cluster and what is done to it.
type trial struct {
	top, bin, work string
	procs          *procs
	pki            *authority
	api            *api
	nodes          []*node
	runs           runs
	alerts         alerts

	background sync.WaitGroup
	undo       []func() error // of what the machine had otherwise, the last first
}

//go:embed cluster.yaml
var others string

// secret is the password of the bucket.
const secret = "of-this-trial-only"

func (t *trial) run(ctx context.Context) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer t.background.Wait()
	defer cancel()
	began := time.Now()
	steps := []func(context.Context) error{
		t.prepare, t.images, t.controlPlane, t.startNodes, t.startOthers, t.deploy, t.disturb, t.finish,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	say("%d runs in %s", t.runs.judged, time.Since(began).Round(time.Second))
	return nil
}

// prepare gives this machine the addresses of the nodes and remembers what Kubernetes
// changes of it.
func (t *trial) prepare(ctx context.Context) error {
	for i, name := range []string{"node-a", "node-b"} {
		n := &node{name: name, address: fmt.Sprintf("10.99.0.%d", i+1), index: i + 1, dir: filepath.Join(t.work, name)}
		t.nodes = append(t.nodes, n)
		if _, err := output(ctx, "", "ip", "address", "add", n.address+"/32", "dev", "lo"); err != nil {
			return err
		}
		t.undo = append(t.undo, func() error {
			_, err := output(context.Background(), "", "ip", "address", "del", n.address+"/32", "dev", "lo")
			return err
		})
	}
	for _, name := range []string{
		"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes",
		"net/ipv4/ip_forward", "net/ipv4/vs/conntrack", "net/netfilter/nf_conntrack_max", "net/netfilter/nf_conntrack_tcp_timeout_established", "net/netfilter/nf_conntrack_tcp_timeout_close_wait",
	} {
		file := "/proc/sys/" + name
		was, err := os.ReadFile(file)
		if err != nil {
			continue // not of this kernel
		}
		t.undo = append(t.undo, func() error { return os.WriteFile(file, was, 0) })
	}
	for _, dir := range []string{"/var/lib/kubelet", "/var/lib/cni", "/var/lib/dockershim", "/var/log/containers", "/var/log/pods", "/opt/containerd", "/run/containerd", "/etc/cni"} {
		if _, err := os.Lstat(dir); os.IsNotExist(err) {
			t.undo = append(t.undo, func() error { return os.RemoveAll(dir) })
		}
	}
	return os.MkdirAll(t.work+"/bucket/buckets/everystate", 0o755)
}

// images puts every image together, as archives.
func (t *trial) images(ctx context.Context) error {
	scratch, err := os.ReadFile(t.top + "/deploy/docker/Dockerfile.scratch")
	if err != nil {
		return err
	}
	for i, version := range versions {
		folder := t.work + "/image-" + version
		err := errors.Join(
			link(folder, map[string]string{"everystate": t.bin + "/" + version + "/everystate", "ca-certificates.crt": "/etc/ssl/certs/ca-certificates.crt"}),
			os.Mkdir(folder+"/data", 0o755),
			makeImage(fmt.Sprintf("%s/everystate-%d.tar", t.work, i), registryless+"everystate:"+version, string(scratch), folder),
		)
		if err != nil {
			return err
		}
	}
	for _, name := range []string{"pause", "coredns", "versitygw"} {
		if err := t.programImage(ctx, name, t.bin+"/"+name); err != nil {
			return err
		}
	}
	prometheus, err := exec.LookPath("prometheus")
	if err != nil {
		return err
	}
	return t.programImage(ctx, "prometheus", prometheus)
}

// programImage makes NAME:trial of a program and the libraries that it is linked with.
func (t *trial) programImage(ctx context.Context, name, program string) error {
	files := map[string]string{"bin/" + name: program}
	// It fails on static programs.
	if linked, err := output(ctx, "", "ldd", program); err == nil {
		for _, lib := range libraries(linked) {
			files[lib] = lib
		}
	}
	folder := t.work + "/image-" + name
	text := fmt.Sprintf("FROM scratch\nCOPY . /\nENTRYPOINT [\"/bin/%s\"]\n", name)
	return errors.Join(link(folder, files), makeImage(t.work+"/"+name+".tar", registryless+name+":trial", text, folder))
}

func (t *trial) startNodes(ctx context.Context) error {
	for _, n := range t.nodes {
		if err := t.startNode(ctx, n); err != nil {
			return err
		}
	}
	version, err := t.kubectl(ctx, "get", "nodes", "--no-headers", "-o", "custom-columns=A:.metadata.name,B:.status.nodeInfo.kubeletVersion,C:.status.nodeInfo.containerRuntimeVersion")
	say("nodes:\n%s", version)
	return err
}

// startOthers starts what the cluster has beside Everystate.
func (t *trial) startOthers(ctx context.Context) error {
	t.background.Go(func() { t.provision(ctx) })
	text := strings.NewReplacer("${secret}", secret, "${bucket}", t.work+"/bucket").Replace(others)
	file := t.work + "/cluster.yaml"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	if err := os.MkdirAll(t.work+"/bucket/meta", 0o755); err != nil {
		return err
	}
	if _, err := t.kubectl(ctx, "apply", "-f", file); err != nil {
		return err
	}
	deploy := t.top + "/deploy/prometheus/"
	if _, err := t.kubectl(ctx, "-n", "monitoring", "create", "configmap", "prometheus", "--from-file="+deploy+"kubernetes.yml", "--from-file="+deploy+"everystate.rules.yaml"); err != nil {
		return err
	}
	for _, of := range []string{"kube-system/coredns", "storage/s3", "monitoring/prometheus"} {
		namespace, name, _ := strings.Cut(of, "/")
		if _, err := t.kubectl(ctx, "-n", namespace, "rollout", "status", "deployment/"+name, "--timeout=120s"); err != nil {
			return err
		}
	}
	say("DNS, the S3 server and Prometheus are ready")
	return nil
}

// apply applies deploy/kubernetes with an image: the overlay s3 and the patches of
// one-node in one directory, as docs/OPERATIONS.md has it, and nothing else but the
// name of the image and the address of the bucket.
func (t *trial) apply(ctx context.Context, version string) error {
	dir := t.work + "/overlay"
	manifests := t.top + "/deploy/kubernetes"
	sizes, err := os.ReadFile(manifests + "/overlays/one-node/kustomization.yaml")
	if err != nil {
		return err
	}
	s3, err := filepath.Rel(dir, manifests+"/overlays/s3")
	if err != nil {
		return err
	}
	const base = "resources: [../../base]"
	if !strings.Contains(string(sizes), base) {
		return errors.New("the overlay one-node does not build upon the base")
	}
	text := strings.Replace(string(sizes), base, "resources: ["+s3+"]", 1) + `
  - target: {kind: StatefulSet, name: everystate-coordinator}
    patch: |-
      - {op: test, path: /spec/template/spec/containers/0/args/6, value: "--bucket=s3://everystate/runs"}
      - {op: replace, path: /spec/template/spec/containers/0/args/6, value: "--bucket=s3://everystate/runs?endpoint=http://s3.storage.svc:7070"}
images:
  - {name: everystate, newTag: ` + version + `}
`
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(dir+"/kustomization.yaml", []byte(text), 0o600)); err != nil {
		return err
	}
	if _, err := t.kubectl(ctx, "apply", "-k", dir, "--dry-run=server"); err != nil {
		return err
	}
	_, err = t.kubectl(ctx, "apply", "-k", dir)
	return err
}

// deploy brings Everystate into the cluster.
func (t *trial) deploy(ctx context.Context) error {
	if _, err := t.kubectl(ctx, "apply", "-f", t.top+"/deploy/kubernetes/base/namespace.yaml"); err != nil {
		return err
	}
	if err := t.serverTakesAll(ctx); err != nil {
		return err
	}
	_, err := t.kubectl(ctx, "-n", "everystate", "create", "secret", "generic", "everystate-s3",
		"--from-literal=AWS_ACCESS_KEY_ID=everystate", "--from-literal=AWS_SECRET_ACCESS_KEY="+secret, "--from-literal=AWS_REGION=us-east-1")
	if err != nil {
		return err
	}
	if err := t.apply(ctx, versions[0]); err != nil {
		return err
	}
	if err := t.ready(ctx, 2); err != nil {
		return err
	}
	address, err := t.kubectl(ctx, "-n", "everystate", "get", "service", "everystate-coordinator", "-o", "jsonpath={.spec.clusterIP}")
	if err != nil {
		return err
	}
	t.runs.address = address + ":7000"
	say("a coordinator and two workers are ready, by the overlays s3 and one-node")
	t.background.Go(func() { t.alerts.watch(ctx) })
	return t.scraped(ctx, 3)
}

// serverTakesAll has the API server judge the base and every overlay, with all its
// admission, without keeping anything.
func (t *trial) serverTakesAll(ctx context.Context) error {
	overlays, err := filepath.Glob(t.top + "/deploy/kubernetes/overlays/*")
	if err != nil {
		return err
	}
	for _, dir := range append(overlays, t.top+"/deploy/kubernetes/base") {
		cmd := exec.CommandContext(ctx, t.bin+"/kubectl", "--kubeconfig", t.kubeconfig("admin"), "apply", "-k", dir, "--dry-run=server")
		said, err := cmd.CombinedOutput()
		if err != nil || strings.Contains(string(said), "Warning") {
			return fmt.Errorf("kubectl apply -k %s --dry-run=server: %v\n%s", filepath.Base(dir), err, said)
		}
	}
	say("the API server takes the base and %d overlays without a warning", len(overlays))
	return nil
}

// ready waits until there are a coordinator and so many workers, all ready.
func (t *trial) ready(ctx context.Context, workers int) error {
	return t.wait(ctx, fmt.Sprintf("a coordinator and %d workers to be ready", workers), 5*time.Minute, func(ctx context.Context) (bool, error) {
		all, err := t.pods(ctx)
		if err != nil || len(all) != workers+1 {
			return false, err
		}
		for _, p := range all {
			if !p.ready() {
				return false, nil
			}
		}
		return true, nil
	})
}

// explain says what there is to say about a cluster that failed.
func (t *trial) explain() {
	if t.api == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, args := range [][]string{
		{"get", "nodes,pods,pvc,pv", "-A", "-o", "wide"},
		{"get", "events", "-A", "--sort-by=.lastTimestamp"},
		{"-n", "everystate", "logs", "-l", "app.kubernetes.io/name=everystate", "--tail=8", "--prefix"},
	} {
		said, err := t.kubectl(ctx, args...)
		lines := strings.Split(said, "\n")
		say("kubectl %s\n%s", strings.Join(args, " "), strings.Join(lines[max(0, len(lines)-40):], "\n"))
		if err != nil {
			say("%v", err)
		}
	}
}

// cleanUp stops everything and leaves this machine as it was.
func (t *trial) cleanUp() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	say("cleaning up")
	t.procs.stop("proxy", "node-a-kubelet", "node-b-kubelet", "scheduler", "controllers", "apiserver", "etcd")
	for _, n := range t.nodes {
		tasks, _ := t.ctr(ctx, n, "tasks", "list", "-q")
		for _, id := range strings.Fields(tasks) {
			_, _ = t.ctr(ctx, n, "tasks", "delete", "--force", id)
		}
	}
	t.procs.stop("")
	var faults []error
	mounts, err := os.ReadFile("/proc/self/mounts")
	faults = append(faults, err)
	for _, line := range slices.Backward(strings.Split(string(mounts), "\n")) {
		f := strings.Fields(line)
		ours := len(f) > 1 && (strings.HasPrefix(f[1], t.work+"/") || strings.HasPrefix(f[1], "/run/netns/cni-") || strings.HasPrefix(f[1], "/var/run/netns/cni-"))
		if !ours {
			continue
		}
		_, err := output(ctx, "", "umount", f[1])
		if err == nil && strings.Contains(f[1], "/netns/cni-") {
			err = os.Remove(f[1])
		}
		if err != nil && !os.IsNotExist(err) {
			faults = append(faults, err)
		}
	}
	for _, n := range t.nodes {
		faults = append(faults, removeGroup(n.group()))
	}
	for _, family := range []string{"ip", "ip6"} {
		_, _ = output(ctx, "", "nft", "delete", "table", family, "kube-proxy")
	}
	for _, f := range slices.Backward(t.undo) {
		faults = append(faults, f())
	}
	return errors.Join(faults...)
}
