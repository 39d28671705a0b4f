package docs

import (
	"flag"
	"os"
	"strings"
	"testing"

	coordinatorserver "github.com/everystate/everystate/coordinator/server"
	"github.com/everystate/everystate/internal/telemetry/metrics"
	"github.com/everystate/everystate/worker/gauges"
)

var updateMetrics = flag.Bool("update-metrics", false, "write METRICS.md")

const metricsHead = `# Metrics

For operators: ` + "the metrics that `coordinator` and `worker` serve to Prometheus at `/metrics` with `--metrics ADDR`. There `/healthz` answers 200 while the process can work, and otherwise 503 with a line that says why." + `
Anyone who can reach the address can read them: ` + "`--metrics :9100` listens on loopback only, `--metrics 10.0.0.2:9100` at that address." + `
Alert rules are in [deploy/prometheus](../deploy/prometheus), a dashboard in [deploy/grafana](../deploy/grafana), and what to do in [OPERATIONS.md](OPERATIONS.md).

This page is written by ` + "`go test ./docs -run Metrics -update-metrics`" + ` from the tables in the code.

`

// TestMetrics holds METRICS.md to what the processes have.
func TestMetrics(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(metricsHead)
	for _, part := range []struct {
		title, text string
		metrics     []*metrics.Metric
	}{
		{"Coordinator", "The metrics of a run come from its journal, so they survive a restart of the coordinator. `everystate_active_*` exist while a run is being explored, `everystate_checkpoint_*` for runs that are in a bucket.", coordinatorserver.Metrics()},
		{"Worker", "Counters begin at 0 with the process. `everystate_pebble_*` exist for each run whose store is open.", gauges.Metrics()},
		{"Calls", "Served by both. A method that does not exist counts as `unknown`.", metrics.GRPC()},
		{"Process", "Served by both, along with the Prometheus client library's metrics of the Go runtime (`go_*`) and of the operating system (`process_*`).", []*metrics.Metric{metrics.Build}},
	} {
		b.WriteString("## " + part.title + "\n\n" + part.text + "\n\n" + metrics.Markdown(part.metrics) + "\n")
	}
	want := strings.TrimSuffix(b.String(), "\n")
	if *updateMetrics {
		if err := os.WriteFile("METRICS.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("METRICS.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("METRICS.md is not what the code has: go test ./docs -run Metrics -update-metrics")
	}
}
