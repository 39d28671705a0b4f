package deploy

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"

	coordinatorserver "github.com/everystate/everystate/coordinator/server"
	"github.com/everystate/everystate/internal/telemetry/metrics"
	"github.com/everystate/everystate/worker/gauges"
)

const dir = "../../../deploy"

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// exposed are the names of all series that the programs have. TestMetrics in
// cmd/everystate shows that they have them.
func exposed(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{"up": true}
	all := slices.Concat(coordinatorserver.Metrics(), gauges.Metrics(), metrics.GRPC(), []*metrics.Metric{metrics.Build})
	for _, m := range all {
		if names[m.Name] {
			t.Errorf("%s is there twice", m.Name)
		}
		names[m.Name] = true
		if m.Kind == metrics.Histogram {
			names[m.Name+"_sum"], names[m.Name+"_count"], names[m.Name+"_bucket"] = true, true, true
		}
	}
	families, err := metrics.NewRegistry().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		names[f.GetName()] = true
	}
	return names
}

var (
	quoted   = regexp.MustCompile(`"[^"]*"`)
	matchers = regexp.MustCompile(`\{[^}]*\}`)
	grouping = regexp.MustCompile(`\b(by|on|without|ignoring|group_left)\s*\([^)]*\)`)
	word     = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*`)
	ranges   = regexp.MustCompile(`\[[^\]]*\]`)
)

// functions are the words of a query that are no metric.
var functions = []string{"sum", "count", "min", "max", "rate", "increase", "scalar", "predict_linear", "or", "and", "by", "on", "e9"}

// metricsOf returns the metrics that a query asks for.
func metricsOf(query string) (names []string) {
	for _, r := range []*regexp.Regexp{quoted, matchers, ranges, grouping} {
		query = r.ReplaceAllString(query, " ")
	}
	for _, w := range word.FindAllString(query, -1) {
		if !slices.Contains(functions, w) {
			names = append(names, w)
		}
	}
	return names
}

func TestMetricsOf(t *testing.T) {
	t.Parallel()
	got := metricsOf(`sum by (run) (rate(a_total{run=~"$run",x="y"}[$__rate_interval])) / on (job) b > 5 * 1024`)
	if !slices.Equal(got, []string{"a_total", "b"}) {
		t.Errorf("%q", got)
	}
}

func TestDashboard(t *testing.T) {
	t.Parallel()
	var d struct {
		Panels []struct {
			Title   string
			Type    string
			Targets []struct{ Expr string }
		}
		Templating struct {
			List []struct {
				Name  string
				Query json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(read(t, "grafana/dashboards/everystate.json"), &d); err != nil {
		t.Fatal(err)
	}
	names, queries := exposed(t), 0
	for _, p := range d.Panels {
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("%s shows nothing", p.Title)
		}
		for _, target := range p.Targets {
			queries++
			asked := metricsOf(target.Expr)
			if len(asked) == 0 {
				t.Errorf("%s: %s asks for nothing", p.Title, target.Expr)
			}
			for _, name := range asked {
				if !names[name] {
					t.Errorf("%s: there is no %s", p.Title, name)
				}
			}
		}
	}
	for _, v := range d.Templating.List {
		if asked := regexp.MustCompile(`label_values\((\w+)`).FindSubmatch(v.Query); v.Name != "datasource" && (len(asked) != 2 || !names[string(asked[1])]) {
			t.Errorf("variable %s: %s", v.Name, v.Query)
		}
	}
	if queries < 30 {
		t.Errorf("only %d queries were found", queries)
	}
}

// TestAlerts holds the rules to the metrics; promtool holds them to their tests.
func TestAlerts(t *testing.T) {
	t.Parallel()
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Labels      map[string]string
				Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(read(t, "prometheus/everystate.rules.yaml"), &rules); err != nil {
		t.Fatal(err)
	}
	names := exposed(t)
	tested := string(read(t, "prometheus/everystate.rules.test.yaml"))
	for _, r := range rules.Groups[0].Rules {
		for _, name := range metricsOf(r.Expr) {
			if !names[name] {
				t.Errorf("%s: there is no %s", r.Alert, name)
			}
		}
		if r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["action"] == "" {
			t.Errorf("%s does not say how bad it is, what it is, or what to do", r.Alert)
		}
		if !strings.Contains(tested, "alertname: "+r.Alert) {
			t.Errorf("%s is not tested", r.Alert)
		}
	}
	if len(rules.Groups[0].Rules) < 7 {
		t.Errorf("only %d rules", len(rules.Groups[0].Rules))
	}
}

// TestNames holds the names of metrics to the conventions of Prometheus.
func TestNames(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^everystate_[a-z][a-z0-9_]*$`)
	for _, m := range slices.Concat(coordinatorserver.Metrics(), gauges.Metrics()) {
		if !name.MatchString(m.Name) || (m.Kind == metrics.Counter) != strings.HasSuffix(m.Name, "_total") || m.Help == "" || strings.HasSuffix(m.Help, ".") {
			t.Errorf("%s, a %v: %s", m.Name, m.Kind, m.Help)
		}
	}
}

type service struct {
	Image    string
	Command  []string
	User     string
	ReadOnly bool     `yaml:"read_only"`
	CapDrop  []string `yaml:"cap_drop"`
	MemLimit string   `yaml:"mem_limit"`
	Ports    []string
	Volumes  []string
	Depends  map[string]any `yaml:"depends_on"`
}

func TestCompose(t *testing.T) {
	t.Parallel()
	var c struct {
		Services map[string]service
		Volumes  map[string]any
	}
	if err := yaml.Unmarshal(read(t, "compose.yaml"), &c); err != nil {
		t.Fatal(err)
	}
	for name, s := range c.Services {
		ours := strings.HasPrefix(s.Image, "everystate:")
		switch {
		case s.MemLimit == "":
			t.Errorf("%s has no memory limit", name)
		case !strings.Contains(s.Image, ":") || strings.HasSuffix(s.Image, ":latest"):
			t.Errorf("%s: image %s has no version", name, s.Image)
		case ours && (!s.ReadOnly || s.User != "65532:65532" || !slices.Equal(s.CapDrop, []string{"ALL"})):
			t.Errorf("%s may do too much: %+v", name, s)
		case ours && !slices.ContainsFunc(s.Volumes, func(v string) bool { return v == name+":/data" }):
			t.Errorf("%s has no volume of its own: %q", name, s.Volumes)
		}
		for _, p := range s.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:") {
				t.Errorf("%s: port %s is open to other machines", name, p)
			}
		}
		for on := range s.Depends {
			if _, ok := c.Services[on]; !ok {
				t.Errorf("%s depends on %s", name, on)
			}
		}
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if strings.HasPrefix(from, "./") {
				needFile(t, from)
			} else if _, ok := c.Volumes[from]; !ok {
				t.Errorf("%s: no volume %s", name, from)
			}
		}
	}
	for _, name := range []string{"coordinator", "worker-1", "worker-2", "worker-3", "s3", "prometheus", "grafana"} {
		if c.Services[name].Image == "" {
			t.Errorf("no service %s", name)
		}
	}
	var p struct {
		Scrape []struct {
			Static []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal(read(t, "prometheus/prometheus.yml"), &p); err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Scrape {
		for _, target := range s.Static[0].Targets {
			if host, _, _ := strings.Cut(target, ":"); !slices.Contains(c.Services[host].Command, "--metrics=0.0.0.0:9100") {
				t.Errorf("%s is scraped, and serves no metrics", target)
			}
		}
	}
}

// needFile sees to it that there is a file below a directory of deploy.
func needFile(t *testing.T, below string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(filepath.Join(dir, below), func(_ string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files++
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("nothing in %s: %v", below, err)
	}
}

// TestDockerfiles holds both images to one end.
func TestDockerfiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"docker/Dockerfile", "docker/Dockerfile.scratch"} {
		text := string(read(t, name))
		for _, want := range []string{
			"\nFROM scratch\n", "\nUSER 65532:65532\n", "\nVOLUME /data\n", `CMD ["/everystate", "health", "127.0.0.1:7000"]`, "\nENTRYPOINT [\"/everystate\"]\n", "/etc/ssl/certs/ca-certificates.crt",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q", name, want)
			}
		}
	}
	text := string(read(t, "docker/Dockerfile"))
	for _, want := range []string{"-X main.stampVersion=${VERSION}", "-X main.stampCommit=${COMMIT}", "CGO_ENABLED=0", "-trimpath"} {
		if !strings.Contains(text, want) {
			t.Errorf("the build has no %s", want)
		}
	}
}

// exposureMax is what systemd-analyze security may say of a unit, of 10.
const exposureMax = 2.0

func TestUnits(t *testing.T) {
	t.Parallel()
	units, err := filepath.Glob(filepath.Join(dir, "systemd", "*.service"))
	if err != nil || len(units) != 2 {
		t.Fatalf("%q, %v", units, err)
	}
	for _, unit := range units {
		text, err := os.ReadFile(unit)
		if err != nil {
			t.Fatal(err)
		}
		role := "worker"
		if strings.Contains(unit, "coordinator") {
			role = "coordinator"
		}
		// Keys are root's, and a missing file must not stop a unit without TLS.
		for _, file := range []string{"ca.crt", role + ".crt", role + ".key", "tokens"} {
			for _, want := range []string{"\nLoadCredential=" + file + ":/etc/everystate/" + file + "\n", "\nSetCredential=" + file + ":"} {
				if !strings.Contains(string(text), want) {
					t.Errorf("%s: no %q", unit, want)
				}
			}
		}
		for _, want := range []string{"\nWorkingDirectory=%d\n", "DynamicUser=yes", "NoNewPrivileges=yes", "ProtectSystem=strict", "StateDirectory=everystate/", "Restart=on-failure", "LimitNOFILE=", "[Install]"} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: no %s", unit, want)
			}
		}
		if _, err := exec.LookPath("systemd-analyze"); err != nil {
			t.Log("systemd-analyze is not here")
			continue
		}
		out, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=true", unit).CombinedOutput()
		m := regexp.MustCompile(`exposure level for \S+: ([0-9.]+)`).FindSubmatch(out)
		if m == nil {
			t.Logf("systemd-analyze says nothing of use: %v: %.200s", err, out)
			continue
		}
		if level, err := strconv.ParseFloat(string(m[1]), 64); err != nil || level > exposureMax {
			t.Errorf("%s: exposure %s, more than %v", unit, m[1], exposureMax)
		}
		out, _ = exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", unit).CombinedOutput()
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, filepath.Base(unit)) && !strings.Contains(line, "is not executable") {
				t.Error(line)
			}
		}
	}
}
