package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// api calls the API server as its administrator.
type api struct {
	url  string
	http *http.Client
}

func newAPI(a *authority, url string) (*api, error) {
	pair, err := tls.LoadX509KeyPair(a.path("admin.crt"), a.path("admin.key"))
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}}
	return &api{url: url, http: &http.Client{Transport: transport, Timeout: 20 * time.Second}}, nil
}

// errStatus is an answer that is no success.
type errStatus struct {
	code int
	text string
}

func (e errStatus) Error() string { return fmt.Sprintf("status %d: %s", e.code, e.text) }

// do sends a body, if there is one, and decodes the answer, if it is asked for.
func (a *api) do(ctx context.Context, method, path string, body, answer any) error {
	var sent io.Reader = http.NoBody
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.url+path, sent)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := a.http.Do(req)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %w", method, path, errStatus{resp.StatusCode, string(text)})
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}

// pod is the part of a pod that the trial looks at.
type pod struct {
	Metadata struct {
		Name, Namespace, UID string
		Labels               map[string]string
		DeletionTimestamp    string
	}
	Spec   struct{ NodeName string }
	Status struct {
		Phase      string
		PodIP      string
		Conditions []struct{ Type, Status string }
	}
}

func (p *pod) ready() bool {
	for _, c := range p.Status.Conditions {
		if c.Type == "Ready" {
			return c.Status == "True" && p.Metadata.DeletionTimestamp == ""
		}
	}
	return false
}

// pods returns the pods of Everystate by name.
func (t *trial) pods(ctx context.Context) (map[string]*pod, error) {
	var list struct{ Items []*pod }
	if err := t.api.do(ctx, http.MethodGet, "/api/v1/namespaces/everystate/pods", nil, &list); err != nil {
		return nil, err
	}
	all := map[string]*pod{}
	for _, p := range list.Items {
		all[p.Metadata.Name] = p
	}
	return all, nil
}

// kubectl runs it as the administrator.
func (t *trial) kubectl(ctx context.Context, args ...string) (string, error) {
	args = append([]string{"--kubeconfig", t.kubeconfig("admin")}, args...)
	out, err := output(ctx, t.work, t.bin+"/kubectl", args...)
	return strings.TrimSpace(out), err
}

func (t *trial) kubeconfig(user string) string { return t.work + "/pki/" + user + ".conf" }

// wait asks until the answer is yes. It fails after the time, or once a process of
// the cluster has ended.
func (t *trial) wait(ctx context.Context, what string, atMost time.Duration, ask func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		yes, err := ask(ctx)
		if yes && err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waited %s for %s: %w", atMost, what, errors.Join(ctx.Err(), err))
		case err := <-t.procs.ended:
			return err
		case <-tick.C:
		}
	}
}
