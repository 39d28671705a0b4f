//go:build linux

package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	// namespacePrefix begins the names of namespaces. The id of the process that
	// made them follows.
	namespacePrefix = "everystate-chaos-"
	hostsMax        = 120

	// nobody is an address that no host has: whatever is sent to it is lost, without the
	// sender being told.
	nobody = "02:00:00:00:00:01"
)

// network is a switch and hosts that are joined by it: network namespaces, the
// switch with a bridge, each host with one end of a veth pair whose other end is a
// port of the bridge.
type network struct {
	t     *testing.T
	name  string // of the switch; those of hosts begin with it
	hosts []host
}

// newNetwork makes a network without hosts, or skips the test.
func newNetwork(t *testing.T) *network {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs to be root, to make network namespaces")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("needs the program ip, which comes with iproute2 (apt-get install iproute2)")
	}
	removeAbandoned(t)
	n := &network{t: t, name: fmt.Sprintf("%s%d-%s", namespacePrefix, os.Getpid(), strings.ToLower(filepath.Base(t.Name())))}
	if err := ip("netns", "add", n.name); err != nil {
		t.Skipf("cannot make a network namespace: %v", err)
	}
	t.Cleanup(func() { removeNamespaces(t, n.name) })
	n.must("-n", n.name, "link", "add", "bridge", "type", "bridge")
	n.must("-n", n.name, "link", "set", "bridge", "up")
	return n
}

// ip runs the program of that name.
func ip(args ...string) error {
	out, err := exec.CommandContext(context.Background(), "ip", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

func (n *network) must(args ...string) {
	n.t.Helper()
	if err := ip(args...); err != nil {
		n.t.Fatal(err)
	}
}

// namespaces returns the namespaces with a prefix.
func namespaces(t *testing.T, prefix string) []string {
	t.Helper()
	out, err := exec.CommandContext(context.Background(), "ip", "netns", "list").Output()
	if err != nil {
		t.Error(err)
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		if name, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names
}

// removeNamespaces removes the namespaces with a prefix, and with them the links between
// them.
func removeNamespaces(t *testing.T, prefix string) {
	t.Helper()
	for _, name := range namespaces(t, prefix) {
		if err := ip("netns", "del", name); err != nil {
			t.Error(err)
		}
	}
}

// removeAbandoned removes the namespaces of processes that no longer exist.
func removeAbandoned(t *testing.T) {
	t.Helper()
	for _, name := range namespaces(t, namespacePrefix) {
		id, _, _ := strings.Cut(strings.TrimPrefix(name, namespacePrefix), "-")
		pid, err := strconv.Atoi(id)
		if err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			if err := ip("netns", "del", name); err != nil {
				t.Error(err)
			}
		}
	}
}

// address returns the address of the host with this number.
func address(number int) string { return fmt.Sprintf("10.77.0.%d", number) }

// add adds a host.
func (n *network) add() host {
	n.t.Helper()
	number := len(n.hosts) + 1
	if number > hostsMax {
		n.t.Fatalf("more than %d hosts", hostsMax)
	}
	name := fmt.Sprintf("%s-%d", n.name, number)
	h := host{name: name, ip: address(number), wrap: []string{"ip", "netns", "exec", name}, port: fmt.Sprintf("port%d", number)}
	n.hosts = append(n.hosts, h)
	n.must("netns", "add", name)
	n.must("-n", name, "link", "set", "lo", "up")
	n.must("-n", n.name, "link", "add", h.port, "type", "veth", "peer", "name", "eth0", "netns", name)
	n.must("-n", n.name, "link", "set", h.port, "master", "bridge", "up")
	n.must("-n", name, "address", "add", h.ip+"/24", "dev", "eth0")
	n.must("-n", name, "link", "set", "eth0", "up")
	return h
}

// lose makes everything that one host sends to another be lost.
func (n *network) lose(from, to host) {
	n.t.Helper()
	n.must("-n", from.name, "neighbor", "replace", to.ip, "lladdr", nobody, "nud", "permanent", "dev", "eth0")
}

// find makes it arrive again.
func (n *network) find(from, to host) {
	// It is gone already if the link was down meanwhile.
	_ = ip("-n", from.name, "neighbor", "del", to.ip, "dev", "eth0")
}

// networkFaults returns the faults of a network, and some faults of processes.
func networkFaults(n *network) []fault {
	shorter := func(c *cluster) time.Duration { return between(c.r, lease/4, lease*3/4) }
	longer := func(c *cluster) time.Duration { return between(c.r, lease*5/4, lease*7/2) }
	return []fault{
		{"worker and coordinator apart, shorter than the lease", 2, n.apart(shorter, true, true)},
		{"worker and coordinator apart, longer than the lease", 3, n.apart(longer, true, true)},
		{"worker does not reach the coordinator", 2, n.apart(longer, true, false)},
		{"coordinator does not reach a worker", 2, n.apart(longer, false, true)},
		{"two workers apart, shorter than the lease", 2, n.workersApart(shorter, true)},
		{"two workers apart, longer than the lease", 3, n.workersApart(longer, true)},
		{"one worker does not reach another one", 2, n.workersApart(longer, false)},
		{"worker's cable pulled, shorter than the lease", 1, n.unplug(shorter)},
		{"worker's cable pulled, longer than the lease", 2, n.unplug(longer)},
		{"worker's network interface down", 1, n.interfaceDown(longer)},
		{"coordinator's cable pulled", 2, n.unplugCoordinator},
		{"network in two halves", 2, n.halves},
		{"two coordinators after a partition", 2, n.partition},
		{"worker killed, back at once", 1, (*cluster).killWorker},
		{"worker lost with its disk", 1, (*cluster).loseWorker},
		{"worker paused for longer than its lease", 1, (*cluster).pauseWorker},
		{"worker drained", 1, (*cluster).drainWorker},
		{"worker added", 2, (*cluster).joinWorker},
		{"coordinator killed", 1, (*cluster).killCoordinator},
		{"coordinator lost with its disk", 1, (*cluster).loseCoordinator},
	}
}

// where identifies the worker, for the diary.
func (w *worker) where() string { return w.name + " (" + w.host.ip + ")" }

// apart loses what a worker sends to the coordinator, or what the coordinator sends to
// it, or both.
func (n *network) apart(d func(*cluster) time.Duration, there, back bool) func(*cluster) bool {
	return func(c *cluster) bool {
		w := c.anyWorker(1)
		if w == nil {
			return false
		}
		c.cut(n, d(c), w.where(), w.host, "the coordinator", c.main.host, there, back)
		return true
	}
}

// workersApart loses what a worker sends to another.
func (n *network) workersApart(d func(*cluster) time.Duration, both bool) func(*cluster) bool {
	return func(c *cluster) bool {
		v, w := c.anyWorker(1), c.anyWorker(1)
		if v == nil || v == w {
			return false
		}
		c.cut(n, d(c), v.where(), v.host, w.where(), w.host, true, both)
		return true
	}
}

// cut separates two hosts for a while.
func (c *cluster) cut(n *network, d time.Duration, nameA string, a host, nameB string, b host, there, back bool) {
	c.t.Helper()
	c.note("%s: for %v %s does not reach %s: %v, the other way: %v", c.where(), d, nameA, nameB, there, back)
	if there {
		n.lose(a, b)
	}
	if back {
		n.lose(b, a)
	}
	c.after(d, nameA+" and "+nameB+" reach each other", func() {
		n.find(a, b)
		n.find(b, a)
	})
}

// unplug takes the switch's end of a worker's cable down.
func (n *network) unplug(d func(*cluster) time.Duration) func(*cluster) bool {
	return func(c *cluster) bool {
		w := c.anyWorker(1)
		if w == nil {
			return false
		}
		n.pull(c, d(c), w.where(), w.host)
		return true
	}
}

func (n *network) pull(c *cluster, d time.Duration, name string, h host) {
	c.t.Helper()
	c.note("%s: cable of %s pulled for %v", c.where(), name, d)
	n.must("-n", n.name, "link", "set", h.port, "down")
	c.after(d, "cable of "+name+" plugged in", func() { n.must("-n", n.name, "link", "set", h.port, "up") })
}

func (n *network) unplugCoordinator(c *cluster) bool {
	n.pull(c, between(c.r, lease/2, lease*3), "the coordinator", c.main.host)
	return true
}

// interfaceDown takes the interface of a worker's host down, so it has no route to
// anywhere.
func (n *network) interfaceDown(d func(*cluster) time.Duration) func(*cluster) bool {
	return func(c *cluster) bool {
		w := c.anyWorker(1)
		if w == nil {
			return false
		}
		d := d(c)
		c.note("%s: interface of %s down for %v", c.where(), w.where(), d)
		n.must("-n", w.host.name, "link", "set", "eth0", "down")
		c.after(d, "interface of "+w.where()+" up", func() { n.must("-n", w.host.name, "link", "set", "eth0", "up") })
		return true
	}
}

// halves cuts some workers off from the others and from the coordinator.
func (n *network) halves(c *cluster) bool {
	var away, here []host
	here = append(here, c.main.host)
	for _, w := range c.workers {
		if c.r.IntN(2) == 0 {
			away = append(away, w.host)
		} else {
			here = append(here, w.host)
		}
	}
	if len(away) == 0 {
		return false
	}
	d := between(c.r, lease/2, lease*3)
	c.note("%s: for %v %v and %v do not reach each other", c.where(), d, addresses(away), addresses(here))
	each := func(do func(a, b host)) {
		for _, a := range away {
			for _, b := range here {
				do(a, b)
				do(b, a)
			}
		}
	}
	each(n.lose)
	c.after(d, "the halves reach each other", func() { each(n.find) })
	return true
}

func addresses(hosts []host) []string {
	var out []string
	for _, h := range hosts {
		out = append(out, h.ip)
	}
	slices.Sort(out)
	return out
}

// partition separates the coordinator from its workers, and starts another one elsewhere
// that can also reach the bucket. Both believe that they are the only one. Then the
// network heals.
func (n *network) partition(c *cluster) bool {
	if !c.calm() || c.last.Durable < 3 {
		return false
	}
	n.must("-n", n.name, "link", "set", c.main.host.port, "down")
	c.note("%s: the coordinator is cut off", c.where())
	c.rivalry(n.add(), func() {
		linger(between(c.r, 0, lease*2))
		n.must("-n", n.name, "link", "set", c.main.host.port, "up")
		c.note("  the coordinator is back in the network")
	})
	return true
}

// TestNetwork makes the network between hosts fail.
func TestNetwork(t *testing.T) {
	onlyWhenAsked(t)
	faults, seed := int(number(t, faultsVariable, faultsDefault)), seedOf(t)
	t.Run("open", func(t *testing.T) { sufferNetwork(t, seed, faults-faults/2, false) })
	t.Run("encrypted", func(t *testing.T) { sufferNetwork(t, seed+1, faults/2, true) })
}

// sufferNetwork makes a network fail whose hosts either trust each other or
// authenticate.
func sufferNetwork(t *testing.T, seed uint64, faults int, encrypted bool) {
	t.Helper()
	n := newNetwork(t)
	c := newCluster(t, seed)
	c.expect()
	c.callers = credentials{coordinator: []string{"--insecure"}, worker: []string{"--insecure"}}
	if encrypted {
		c.callers = makeCertificates(c)
	}
	c.place = func(string) host { return n.add() }
	c.startFirst(n.add())
	c.suffer(networkFaults(n), faults)
}

// makeCertificates makes certificates for all possible hosts.
func makeCertificates(c *cluster) credentials {
	c.t.Helper()
	dir := filepath.Join(c.dir, "certs")
	var hosts []string
	for i := range hostsMax {
		hosts = append(hosts, address(i+1))
	}
	if a := ask(commandTimeMax, nil, nil, "certs", dir, "--hosts", strings.Join(hosts, ",")); a.code != 0 {
		c.fatal("%v", a)
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	flags := func(name, ca string) []string {
		return []string{ca, file("ca.crt"), "--tls-cert", file(name + ".crt"), "--tls-key", file(name + ".key")}
	}
	return credentials{
		coordinator: flags("coordinator", "--client-ca"),
		worker:      flags("worker", "--tls-ca"),
		operator: []string{
			"EVERYSTATE_TLS_CA=" + file("ca.crt"), "EVERYSTATE_TLS_CERT=" + file("operator.crt"), "EVERYSTATE_TLS_KEY=" + file("operator.key"),
		},
	}
}
