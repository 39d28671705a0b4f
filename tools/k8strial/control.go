package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// The addresses of the trial, on no network but this machine's own.
const (
	apiAddress   = "10.99.0.1"
	apiURL       = "https://10.99.0.1:6443"
	services     = "10.96.0.0/16"
	apiService   = "10.96.0.1"
	dnsService   = "10.96.0.10"
	podsOfAll    = "10.244.0.0/16"
	cniPlugins   = "/usr/lib/cni"
	registryless = "docker.io/library/"
)

// controlPlane starts etcd, the API server, the controllers and the scheduler.
func (t *trial) controlPlane(ctx context.Context) error {
	var err error
	if t.pki, err = newAuthority(filepath.Join(t.work, "pki")); err != nil {
		return err
	}
	err = errors.Join(
		t.pki.server("apiserver", apiAddress, apiService, "127.0.0.1", "localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"),
		t.pki.client("admin", "admin", "system:masters", apiURL),
		t.pki.client("apiserver-kubelet", "apiserver-kubelet", "system:masters", apiURL),
		t.pki.client("controllers", "system:kube-controller-manager", "", apiURL),
		t.pki.client("scheduler", "system:kube-scheduler", "", apiURL),
		t.pki.client("proxy", "system:kube-proxy", "", apiURL),
	)
	if err != nil {
		return err
	}
	if t.api, err = newAPI(t.pki, apiURL); err != nil {
		return err
	}
	const etcd, peers = "http://127.0.0.1:23790", "http://127.0.0.1:23800"
	err = t.procs.start("etcd", t.bin+"/etcd", "--data-dir="+t.work+"/etcd", "--unsafe-no-fsync",
		"--listen-client-urls="+etcd, "--advertise-client-urls="+etcd,
		"--listen-peer-urls="+peers, "--initial-advertise-peer-urls="+peers, "--initial-cluster=default="+peers)
	if err != nil {
		return err
	}
	p := t.pki.path
	err = t.procs.start("apiserver", t.bin+"/kube-apiserver",
		"--etcd-servers="+etcd, "--bind-address="+apiAddress, "--advertise-address="+apiAddress, "--secure-port=6443",
		"--service-cluster-ip-range="+services, "--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
		"--tls-cert-file="+p("apiserver.crt"), "--tls-private-key-file="+p("apiserver.key"), "--client-ca-file="+p("ca.crt"),
		"--kubelet-client-certificate="+p("apiserver-kubelet.crt"), "--kubelet-client-key="+p("apiserver-kubelet.key"), "--kubelet-certificate-authority="+p("ca.crt"), "--kubelet-preferred-address-types=InternalIP",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file="+p("accounts.pub"), "--service-account-signing-key-file="+p("accounts.key"),
		"--requestheader-client-ca-file="+p("ca.crt"), "--requestheader-allowed-names=nobody", "--requestheader-username-headers=X-Remote-User",
		"--cert-dir="+t.work+"/pki")
	if err != nil {
		return err
	}
	err = t.wait(ctx, "the API server", 2*time.Minute, func(ctx context.Context) (bool, error) {
		var e errStatus
		err := t.api.do(ctx, http.MethodGet, "/readyz", nil, nil)
		if errors.As(err, &e) && e.code >= 500 {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return err
	}
	err = errors.Join(
		t.procs.start("controllers", t.bin+"/kube-controller-manager", "--kubeconfig="+p("controllers.conf"),
			"--authentication-kubeconfig="+p("controllers.conf"), "--authorization-kubeconfig="+p("controllers.conf"),
			"--service-account-private-key-file="+p("accounts.key"), "--root-ca-file="+p("ca.crt"), "--use-service-account-credentials",
			"--leader-elect=false", "--bind-address=127.0.0.1", "--cert-dir="+t.work+"/pki"),
		t.procs.start("scheduler", t.bin+"/kube-scheduler", "--kubeconfig="+p("scheduler.conf"),
			"--authentication-kubeconfig="+p("scheduler.conf"), "--authorization-kubeconfig="+p("scheduler.conf"),
			"--leader-elect=false", "--bind-address=127.0.0.1", "--cert-dir="+t.work+"/pki"),
	)
	if err != nil {
		return err
	}
	return t.proxy()
}

// proxy has kube-proxy make the addresses of services reachable, for both nodes: they
// share the network of this machine.
func (t *trial) proxy() error {
	config := t.work + "/proxy.yaml"
	text := fmt.Sprintf(`apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
clusterCIDR: %s
clientConnection: {kubeconfig: %s}
hostnameOverride: node-a
metricsBindAddress: 127.0.0.1:10249
healthzBindAddress: 127.0.0.1:10256
conntrack: {maxPerCore: 0}
`, podsOfAll, t.pki.path("proxy.conf"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return err
	}
	return t.procs.start("proxy", t.bin+"/kube-proxy", "--config="+config)
}
