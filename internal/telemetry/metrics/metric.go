// Package metrics defines how metrics are exposed to Prometheus, and serves them. It
// knows how a metric is described, exposed and documented. What is measured belongs
// to the packages that do the work, each of which has a table of its metrics and
// fills it in on request.
//
// Nothing here is on a hot path: the packages count in atomics, and a page is made
// from these on request. The package must never know runs, states or workers, and
// never listen beyond loopback unless told to.
package metrics

import (
	"fmt"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// Kind is the type of a metric.
type Kind int

// The kinds.
const (
	Counter Kind = iota
	Gauge
	Histogram
)

func (k Kind) String() string {
	return [...]string{"counter", "gauge", "histogram"}[k]
}

func (k Kind) value() prometheus.ValueType {
	if k == Counter {
		return prometheus.CounterValue
	}
	return prometheus.GaugeValue
}

// A Metric is the description of a metric.
type Metric struct {
	Name   string
	Kind   Kind
	Labels []string
	Help   string // one line, without a full stop

	desc *prometheus.Desc
}

// NewMetric describes a metric.
func NewMetric(kind Kind, name, help string, labels ...string) *Metric {
	return &Metric{Name: name, Kind: kind, Labels: labels, Help: help, desc: prometheus.NewDesc(name, help, labels, nil)}
}

// NewHistogram returns the metric as a histogram with upper bounds.
func (m *Metric) NewHistogram(bounds []float64) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: m.Name, Help: m.Help, Buckets: bounds}, m.Labels)
}

// NewCounter returns the metric as a counter.
func (m *Metric) NewCounter() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: m.Name, Help: m.Help}, m.Labels)
}

// NewGauge returns the metric as a gauge.
func (m *Metric) NewGauge() *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: m.Name, Help: m.Help}, m.Labels)
}

// A Put sets the current value of a metric.
type Put func(m *Metric, value float64, labels ...string)

// A Source is a table of metrics and the function that reads them. Read may be called
// from any goroutine, and concurrently.
type Source struct {
	Metrics []*Metric
	Read    func(put Put)
}

// Describe implements prometheus.Collector.
func (s *Source) Describe(to chan<- *prometheus.Desc) {
	for _, m := range s.Metrics {
		to <- m.desc
	}
}

// Collect implements prometheus.Collector.
func (s *Source) Collect(to chan<- prometheus.Metric) {
	s.Read(func(m *Metric, value float64, labels ...string) {
		for i, l := range labels {
			labels[i] = strings.ToValidUTF8(l, "?") // or the whole page would fail
		}
		to <- prometheus.MustNewConstMetric(m.desc, m.Kind.value(), value, labels...)
	})
}

// Markdown returns the rows of a table of metrics.
func Markdown(all []*Metric) string {
	var b strings.Builder
	b.WriteString("| Metric | Type | Labels | Meaning |\n|---|---|---|---|\n")
	for _, m := range all {
		labels := ""
		for i, l := range m.Labels {
			if i > 0 {
				labels += ", "
			}
			labels += "`" + l + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %v | %s | %s |\n", m.Name, m.Kind, labels, m.Help)
	}
	return b.String()
}
