package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// node is a containerd and a kubelet.
type node struct {
	name    string
	address string
	index   int
	dir     string
}

func (n *node) socket() string { return n.dir + "/c.sock" }

// group is the control group of everything that the node runs.
func (n *node) group() string { return "k8strial-" + n.name }

// containerd gets files of its own everywhere, and no registry.
func (n *node) containerd() string {
	return fmt.Sprintf(`version = 2
root = %[1]q
state = %[2]q
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]
[grpc]
  address = %[3]q
[plugins."io.containerd.internal.v1.opt"]
  path = %[4]q
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "%[5]spause:trial"
  tolerate_missing_hugetlb_controller = true
  # Where root may not make a process less likely to be killed.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = %[6]q
    conf_dir = %[7]q
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
`, n.dir+"/images", n.dir+"/run", n.socket(), n.dir+"/opt", registryless, cniPlugins, n.dir+"/cni")
}

// network gives each pod a link of its own to the host, which routes.
func (n *node) network() string {
	return fmt.Sprintf(`{"cniVersion": "1.0.0", "name": "k8strial-%s", "plugins": [{"type": "ptp", "mtu": 1500, "ipam": {
  "type": "host-local", "ranges": [[{"subnet": "10.244.%d.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}], "dataDir": %q}}]}
`, n.name, n.index, n.dir+"/leases")
}

func (n *node) kubelet(pki *authority) string {
	return fmt.Sprintf(`apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: %[1]s
port: %[2]d
healthzPort: %[3]d
containerRuntimeEndpoint: unix://%[4]s
cgroupDriver: cgroupfs
cgroupRoot: /%[5]s
authentication: {x509: {clientCAFile: %[6]s}, anonymous: {enabled: false}, webhook: {enabled: true}}
authorization: {mode: Webhook}
tlsCertFile: %[7]s
tlsPrivateKeyFile: %[8]s
clusterDNS: [%[9]s]
clusterDomain: cluster.local
resolvConf: %[10]s/resolv.conf
podLogsDir: %[10]s/pods
volumePluginDir: %[10]s/plugins
failSwapOn: false
# Images cannot be pulled again.
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 100Mi, nodefs.available: 1Gi, imagefs.available: 1Gi}
`, n.address, 10350+n.index, 10360+n.index, n.socket(), n.group(), pki.path("ca.crt"), pki.path(n.name+".server.crt"), pki.path(n.name+".server.key"), dnsService, n.dir)
}

// startNode prepares and starts a node, and waits until it is ready for pods.
func (t *trial) startNode(ctx context.Context, n *node) error {
	if err := makeGroup(n.group()); err != nil {
		return err
	}
	if err := os.MkdirAll(n.dir+"/cni", 0o755); err != nil {
		return err
	}
	err := errors.Join(
		t.pki.server(n.name+".server", n.address, n.name),
		t.pki.client(n.name, "system:node:"+n.name, "system:nodes", apiURL),
		os.WriteFile(n.dir+"/containerd.toml", []byte(n.containerd()), 0o600),
		os.WriteFile(n.dir+"/cni/10-trial.conflist", []byte(n.network()), 0o600),
		os.WriteFile(n.dir+"/kubelet.yaml", []byte(n.kubelet(t.pki)), 0o600),
		os.WriteFile(n.dir+"/resolv.conf", nil, 0o600),
		t.procs.start(n.name+"-containerd", "containerd", "--config", n.dir+"/containerd.toml"),
	)
	if err != nil {
		return err
	}
	err = t.wait(ctx, "containerd of "+n.name, time.Minute, func(ctx context.Context) (bool, error) {
		_, err := t.ctr(ctx, n, "version")
		return err == nil, err
	})
	if err != nil {
		return err
	}
	if err := t.importImages(ctx, n); err != nil {
		return err
	}
	err = t.procs.start(n.name+"-kubelet", t.bin+"/kubelet", "--config="+n.dir+"/kubelet.yaml", "--kubeconfig="+t.pki.path(n.name+".conf"),
		"--root-dir="+n.dir+"/kubelet", "--cert-dir="+n.dir+"/certs", "--hostname-override="+n.name, "--node-ip="+n.address)
	if err != nil {
		return err
	}
	return t.wait(ctx, n.name, 2*time.Minute, func(ctx context.Context) (bool, error) {
		said, err := t.kubectl(ctx, "get", "node", n.name, "-o", `jsonpath={.status.conditions[?(@.type=="Ready")].status}`)
		if err != nil && strings.Contains(err.Error(), "NotFound") {
			return false, nil
		}
		return said == "True", err
	})
}

func (t *trial) ctr(ctx context.Context, n *node, args ...string) (string, error) {
	return output(ctx, t.work, "ctr", append([]string{"-a", n.socket(), "-n", "k8s.io"}, args...)...)
}

func (t *trial) importImages(ctx context.Context, n *node) error {
	archives, err := filepath.Glob(t.work + "/*.tar")
	if err != nil {
		return err
	}
	for _, a := range archives {
		if _, err := t.ctr(ctx, n, "images", "import", a); err != nil {
			return err
		}
	}
	return nil
}

const groups = "/sys/fs/cgroup"

// hierarchies are the folders with control groups: those of each controller in
// version 1, the one folder in version 2.
func hierarchies() ([]string, error) {
	if _, err := os.Stat(groups + "/cgroup.controllers"); err == nil {
		return []string{groups}, nil
	}
	return filepath.Glob(groups + "/*")
}

// makeGroup makes a control group in every hierarchy.
func makeGroup(name string) error {
	all, err := hierarchies()
	if err != nil {
		return err
	}
	for _, h := range all {
		if err := os.Mkdir(filepath.Join(h, name), 0o755); err != nil && !os.IsExist(err) {
			return err
		}
		// A new group of version 1 has no processors, and nothing can run in it.
		for _, f := range []string{"cpuset.cpus", "cpuset.mems"} {
			text, err := os.ReadFile(filepath.Join(h, f))
			if err != nil {
				continue
			}
			if err := os.WriteFile(filepath.Join(h, name, f), text, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeGroup removes a control group and those below it, which are empty.
func removeGroup(name string) error {
	all, err := hierarchies()
	if err != nil {
		return err
	}
	var below []string
	for _, h := range all {
		top := filepath.Join(h, name)
		_ = filepath.WalkDir(top, func(p string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				below = append(below, p)
			}
			return nil
		})
	}
	// Those below come after those above.
	var faults []error
	for i := len(below) - 1; i >= 0; i-- {
		faults = append(faults, os.Remove(below[i]))
	}
	return errors.Join(faults...)
}
