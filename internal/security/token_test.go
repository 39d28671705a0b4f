package security

import "testing"

func TestTokenFile(t *testing.T) {
	t.Parallel()
	const long = "0123456789abcdef"
	for _, test := range []struct{ name, text, want string }{
		{"roles", "# tokens\n\n worker " + long + "1\noperator\t" + long + "2 \r\nviewer " + long + "3", ""},
		{"nothing", "# nothing\n", "tokens: no token in it"},
		{"short", "\nviewer secret", "tokens:2: the token has 6 characters: must have at least 16"},
		{"no such role", "admin " + long, "tokens:1: the first word must be worker, operator or viewer, and the second a token"},
		{"coordinator", "coordinator " + long, "tokens:1: the first word must be worker, operator or viewer, and the second a token"},
		{"too much", "viewer " + long + " # mine", "tokens:1: must be a role and a token, and nothing more"},
		{"twice", "viewer " + long + "\noperator " + long, "tokens:2: duplicate token"},
		{"not ASCII", "viewer 0123456789abcdéf", "tokens:1: the token must consist of printable ASCII characters without blanks"},
		{"no role", long, "tokens: each line must be a role (worker, operator or viewer), a blank and a token"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			all, err := parseTokens("tokens", []byte(test.text))
			if err == nil {
				err = all.needRoles("tokens")
			}
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func FuzzTokenFile(f *testing.F) {
	f.Add([]byte("worker 0123456789abcdef\n# x\n0123456789abcdefg"))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := parseTokens("tokens", text)
		if (err == nil) != (len(all) > 0) {
			t.Fatalf("%d tokens, %v", len(all), err)
		}
		for _, tok := range all {
			if got, ok := all.find(tok.text); !ok || got != tok || len(tok.text) < TokenCharsMin {
				t.Errorf("%q is not found", tok.text)
			}
		}
	})
}

func TestTokens(t *testing.T) {
	t.Parallel()
	all, err := parseTokens("tokens", []byte("operator aaaaaaaaaaaaaaaa\nworker bbbbbbbbbbbbbbbb\nworker cccccccccccccccc"))
	if err != nil {
		t.Fatal(err)
	}
	if got := all.first(Worker); got != "bbbbbbbbbbbbbbbb" {
		t.Errorf("first worker's token is %q", got)
	}
	if all.first(0) != "aaaaaaaaaaaaaaaa" || all.first(Viewer) != "" {
		t.Error("first is not the first")
	}
	if _, ok := all.find("bbbbbbbbbbbbbbb"); ok {
		t.Error("a part of a token is found")
	}
}
