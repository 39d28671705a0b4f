package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

const (
	prometheusURL = "http://10.96.0.90:9090"
	workerLost    = "EverystateWorkerLost"
)

// alerts remembers which alerts Prometheus has fired.
type alerts struct {
	mu    sync.Mutex
	now   []string
	fired map[string]bool
}

func (a *alerts) firing() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.now)
}

func (a *alerts) names() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Sorted(maps.Keys(a.fired))
}

// watch asks Prometheus until the context ends.
func (a *alerts) watch(ctx context.Context) {
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	for {
		now, err := askAlerts(ctx)
		if err == nil {
			a.note(now)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// note keeps what fires now, and says what is new.
func (a *alerts) note(now map[string]string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.fired == nil {
		a.fired = map[string]bool{}
	}
	for name, summary := range now {
		if !slices.Contains(a.now, name) {
			say("  alert: %s: %s", name, summary)
		}
		a.fired[name] = true
	}
	for _, name := range a.now {
		if _, still := now[name]; !still {
			say("  alert ended: %s", name)
		}
	}
	a.now = slices.Sorted(maps.Keys(now))
}

// ask gets the answer of Prometheus' API.
func ask(ctx context.Context, path string, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, prometheusURL+"/api/v1/"+path, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

// scraped returns how many processes of Everystate answer Prometheus.
func scraped(ctx context.Context) (int, error) {
	var said struct {
		Data struct {
			Result []struct{ Metric map[string]string }
		}
	}
	err := ask(ctx, "query?query="+url.QueryEscape(`up{job=~"everystate-.*"} == 1`), &said)
	return len(said.Data.Result), err
}

// askAlerts returns the summaries of the alerts that fire, by name.
func askAlerts(ctx context.Context) (map[string]string, error) {
	var said struct {
		Data struct {
			Alerts []struct {
				State               string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := ask(ctx, "alerts", &said); err != nil {
		return nil, err
	}
	now := map[string]string{}
	for _, alert := range said.Data.Alerts {
		if alert.State == "firing" {
			now[alert.Labels["alertname"]] = alert.Annotations["summary"]
		}
	}
	return now, nil
}
