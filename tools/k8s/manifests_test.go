package k8s

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const manifests = "../../deploy/kubernetes"

// decoder refuses fields that the API does not know.
func decoder(tb testing.TB) runtime.Decoder {
	tb.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		appsv1.AddToScheme, corev1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			tb.Fatal(err)
		}
	}
	return json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
}

// build returns the objects of a directory.
func build(tb testing.TB, dir string) []runtime.Object {
	tb.Helper()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		tb.Fatal(err)
	}
	d := decoder(tb)
	var all []runtime.Object
	for _, r := range built.Resources() {
		text, err := r.AsYAML()
		if err != nil {
			tb.Fatal(err)
		}
		o, _, err := d.Decode(text, nil, nil)
		if err != nil {
			tb.Fatalf("%s: %v", r.CurId(), err)
		}
		all = append(all, o)
	}
	return all
}

func dirs(tb testing.TB) []string {
	tb.Helper()
	overlays, err := os.ReadDir(filepath.Join(manifests, "overlays"))
	if err != nil {
		tb.Fatal(err)
	}
	all := []string{"base"}
	for _, o := range overlays {
		all = append(all, "overlays/"+o.Name())
	}
	if len(all) < 6 {
		tb.Fatalf("only %q", all)
	}
	return all
}

func TestManifests(t *testing.T) {
	t.Parallel()
	for _, dir := range dirs(t) {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			objects := build(t, filepath.Join(manifests, dir))
			kinds := map[string]int{}
			for _, o := range objects {
				kinds[o.GetObjectKind().GroupVersionKind().Kind]++
				for _, fault := range faults(o) {
					t.Error(fault)
				}
				if set, ok := o.(*appsv1.StatefulSet); ok {
					checkService(t, set, objects)
				}
			}
			for kind, least := range map[string]int{
				"StatefulSet": 2, "Service": 2, "PodDisruptionBudget": 1, "NetworkPolicy": 2, "Namespace": 1, "ServiceAccount": 1,
			} {
				if kinds[kind] < least {
					t.Errorf("%d of kind %s, and not %d", kinds[kind], kind, least)
				}
			}
		})
	}
}

// checkService sees to it that the service that a set names is there, and finds it.
func checkService(t *testing.T, set *appsv1.StatefulSet, objects []runtime.Object) {
	t.Helper()
	for _, o := range objects {
		s, ok := o.(*corev1.Service)
		if !ok || s.Name != set.Spec.ServiceName || s.Namespace != set.Namespace {
			continue
		}
		for key, value := range s.Spec.Selector {
			if set.Spec.Template.Labels[key] != value {
				t.Errorf("service %s selects %s=%s, which the pods of %s are not", s.Name, key, value, set.Name)
			}
		}
		return
	}
	t.Errorf("stateful set %s: no service %s", set.Name, set.Spec.ServiceName)
}

// faults says what is wrong with an object.
func faults(o runtime.Object) (all []string) {
	set, ok := o.(*appsv1.StatefulSet)
	if !ok {
		return nil
	}
	say := func(format string, args ...any) { all = append(all, set.Name+": "+fmt.Sprintf(format, args...)) }
	pod := set.Spec.Template.Spec
	selector, err := metav1.LabelSelectorAsSelector(set.Spec.Selector)
	if err != nil || selector.Empty() || !selector.Matches(labels(set.Spec.Template.Labels)) {
		say("the selector does not match the pods")
	}
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		say("gets a token for the API that it has no use for")
	}
	c := pod.SecurityContext
	switch {
	case c == nil:
		say("no security context")
	case c.RunAsNonRoot == nil || !*c.RunAsNonRoot || c.RunAsUser == nil || *c.RunAsUser == 0:
		say("may run as root")
	case c.SeccompProfile == nil || c.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault:
		say("no seccomp profile")
	}
	if pod.HostNetwork || pod.HostPID || pod.HostIPC {
		say("shares namespaces of the host")
	}
	if g := pod.TerminationGracePeriodSeconds; g == nil || *g < 20 {
		say("no time to drain")
	}
	if strings.HasSuffix(set.Name, "worker") && set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement {
		say("workers would start one after the other")
	}
	for _, c := range pod.Containers {
		all = append(all, containerFaults(set, &c)...)
	}
	return all
}

func containerFaults(set *appsv1.StatefulSet, c *corev1.Container) (all []string) {
	say := func(format string, args ...any) {
		all = append(all, set.Name+"/"+c.Name+": "+fmt.Sprintf(format, args...))
	}
	sc := c.SecurityContext
	switch {
	case sc == nil:
		say("no security context")
	case sc.ReadOnlyRootFilesystem == nil || !*sc.ReadOnlyRootFilesystem:
		say("may write to its root")
	case sc.AllowPrivilegeEscalation == nil || *sc.AllowPrivilegeEscalation:
		say("may gain privileges")
	case sc.Capabilities == nil || !slices.Equal(sc.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(sc.Capabilities.Add) > 0:
		say("has capabilities")
	}
	if c.LivenessProbe == nil || c.ReadinessProbe == nil || c.StartupProbe == nil {
		say("a probe is missing")
	}
	memory, requested := c.Resources.Limits.Memory(), c.Resources.Requests.Memory()
	if memory.IsZero() || memory.Cmp(*requested) != 0 {
		say("memory limit %s is not the request %s", memory, requested)
	}
	if c.Resources.Requests.Cpu().IsZero() {
		say("no processor is requested")
	}
	if strings.HasSuffix(c.Image, ":latest") || !strings.Contains(c.Image, ":") {
		say("image %s has no version", c.Image)
	}
	data := slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == "data" && m.MountPath == "/data" })
	if !data || !slices.Contains(c.Args, "--data=/data") {
		say("writes somewhere else than to its volume")
	}
	for _, m := range c.VolumeMounts {
		if !hasVolume(set, m.Name) {
			say("no volume %s", m.Name)
		}
	}
	return all
}

func hasVolume(set *appsv1.StatefulSet, name string) bool {
	return slices.ContainsFunc(set.Spec.VolumeClaimTemplates, func(v corev1.PersistentVolumeClaim) bool { return v.Name == name }) ||
		slices.ContainsFunc(set.Spec.Template.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == name })
}

// labels is a set of labels that a selector can look at.
type labels map[string]string

func (l labels) Has(key string) bool   { _, ok := l[key]; return ok }
func (l labels) Get(key string) string { return l[key] }
func (l labels) Lookup(key string) (string, bool) {
	v, ok := l[key]
	return v, ok
}

// TestOverlays looks at what each overlay is for.
func TestOverlays(t *testing.T) {
	t.Parallel()
	args := func(t *testing.T, dir, name string) ([]string, *appsv1.StatefulSet) {
		t.Helper()
		for _, o := range build(t, filepath.Join(manifests, dir)) {
			if set, ok := o.(*appsv1.StatefulSet); ok && set.Name == name {
				return set.Spec.Template.Spec.Containers[0].Args, set
			}
		}
		t.Fatalf("%s has no %s", dir, name)
		return nil, nil
	}
	const worker, coordinator = "everystate-worker", "everystate-coordinator"

	for _, name := range []string{worker, coordinator} {
		got, _ := args(t, "overlays/tls", name)
		if slices.Contains(got, "--insecure") || !slices.Contains(got, "--tls-cert=/tls/tls.crt") {
			t.Errorf("tls: %s has %q", name, got)
		}
	}
	for _, dir := range []string{"overlays/s3", "overlays/spot", "overlays/diskless"} {
		got, _ := args(t, dir, coordinator)
		if !slices.ContainsFunc(got, func(a string) bool { return strings.HasPrefix(a, "--bucket=s3://") }) {
			t.Errorf("%s: no bucket: %q", dir, got)
		}
	}
	if _, set := args(t, "overlays/diskless", worker); len(set.Spec.VolumeClaimTemplates) != 0 {
		t.Error("diskless: workers have disks")
	}
	if _, set := args(t, "overlays/spot", worker); len(set.Spec.Template.Spec.Tolerations) == 0 {
		t.Error("spot: workers do not tolerate such machines")
	}
	if _, set := args(t, "overlays/one-node", worker); *set.Spec.Replicas != 2 {
		t.Error("one-node: not two workers")
	}
}

// TestFaults shows that the rules can be broken, and the decoder is strict.
func TestFaults(t *testing.T) {
	t.Parallel()
	const bad = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: everystate-worker}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: c}}
    spec:
      hostNetwork: true
      containers: [{name: worker, image: "everystate:latest", volumeMounts: [{name: gone, mountPath: /x}]}]
`
	d := decoder(t)
	o, _, err := d.Decode([]byte(bad), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := faults(o); len(got) != 13 {
		t.Errorf("%d faults were found:\n%s", len(got), strings.Join(got, "\n"))
	}
	if _, _, err := d.Decode([]byte(strings.Replace(bad, "hostNetwork", "hostNetwrok", 1)), nil, nil); err == nil {
		t.Error("a field that there is not is taken")
	}
}
