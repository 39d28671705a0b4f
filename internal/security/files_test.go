package security

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	writeFile(t, empty, "")
	none := filepath.Join(dir, "none")
	for _, test := range []struct {
		name string
		make func() error
		want string
	}{
		{"no certificate", server(ServerOptions{CertFile: none, KeyFile: s.key("worker")}), none + ": no such file or directory"},
		{"certificate without key", server(ServerOptions{CertFile: s.cert("worker")}), "a certificate needs its key, and a key its certificate"},
		{"key of another", server(ServerOptions{CertFile: s.cert("worker"), KeyFile: s.key("viewer")}), s.cert("worker") + " with the key " + s.key("viewer") + ": tls: private key does not match public key"},
		{"authorities without certificate", server(ServerOptions{ClientCAFile: s.ca()}), "a server that requires client certificates needs one of its own: --tls-cert FILE and --tls-key FILE"},
		{"the machine's authorities", server(ServerOptions{CertFile: s.cert("worker"), KeyFile: s.key("worker"), ClientCAFile: SystemCA}), "--client-ca system would accept anyone with a public certificate: name a file of your own authorities"},
		{"no authorities", server(ServerOptions{CertFile: s.cert("worker"), KeyFile: s.key("worker"), ClientCAFile: none}), none + ": no such file or directory"},
		{"empty authorities", server(ServerOptions{CertFile: s.cert("worker"), KeyFile: s.key("worker"), ClientCAFile: empty}), empty + ": no PEM certificate in it"},
		{"no tokens", server(ServerOptions{TokenFile: none}), none + ": no such file or directory"},
		{"a client's certificate without key", client(ClientOptions{CAFile: s.ca(), CertFile: s.cert("worker")}), "a certificate needs its key, and a key its certificate"},
		{"a client's certificate alone", client(s.without()), "a client certificate also needs the server's authority"},
		{"a client's authorities", client(ClientOptions{CAFile: none}), none + ": no such file or directory"},
		{"the machine's authorities for a client", client(ClientOptions{CAFile: SystemCA}), ""},
		{"a client's certificate", client(ClientOptions{CAFile: s.ca(), CertFile: none, KeyFile: none}), none + ": no such file or directory"},
		{"a client's token", client(ClientOptions{Token: "short"}), "the token has 5 characters: must have at least 16"},
		{"a client's token file", client(ClientOptions{TokenFile: empty}), empty + ": no token in it"},
	} {
		got := ""
		if err := test.make(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}

	if err := os.Chmod(empty, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := Exposed(empty, s.key("worker"), none, ""); len(got) != 1 || got[0] != empty {
		t.Errorf("exposed are %q", got)
	}
}

func server(o ServerOptions) func() error {
	return func() error {
		o.Log = slog.New(slog.DiscardHandler)
		_, err := NewServer(o)
		return err
	}
}

func client(o ClientOptions) func() error {
	return func() error {
		_, err := Dial(o)
		return err
	}
}

func (s set) without() ClientOptions {
	o := s.client("worker")
	o.CAFile = ""
	return o
}
