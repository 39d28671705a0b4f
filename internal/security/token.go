package security

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
)

// TokenCharsMin is the least length of a token.
const TokenCharsMin = 16

// token is a known token.
type token struct {
	text string
	hash [sha256.Size]byte
	role Role // zero: not given, in a client's file
}

// name identifies a token in a log. Eight digits of the hash do not help to find a
// random token.
func (t *token) name() string { return "token " + hex.EncodeToString(t.hash[:4]) }

// tokens are the tokens of a file, in file order.
type tokens []token

// keepTokens reads a server's token file: one role and token per line.
func keepTokens(log *slog.Logger, file string) (*reloaded[tokens], error) {
	return keep(log, func() (tokens, error) {
		all, err := readTokens(file)
		if err != nil {
			return nil, err
		}
		return all, all.needRoles(file)
	}, file)
}

// readTokens reads a token file. A line may hold a token without a role, which is
// enough for a client.
func readTokens(file string) (tokens, error) {
	text, err := os.ReadFile(file)
	if path := new(os.PathError); errors.As(err, &path) {
		return nil, fmt.Errorf("%s: %w", file, path.Err)
	}
	if err != nil {
		return nil, err
	}
	return parseTokens(file, text)
}

func parseTokens(file string, text []byte) (tokens, error) {
	var all tokens
	n := 0
	for line := range bytes.Lines(text) {
		n++
		words := strings.Fields(string(line))
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		t, err := parseToken(words)
		if err == nil && slices.ContainsFunc(all, func(other token) bool { return other.hash == t.hash }) {
			err = errors.New("duplicate token")
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		all = append(all, t)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no token in it", file)
	}
	return all, nil
}

// parseToken never repeats a word of the line, as any may be secret.
func parseToken(words []string) (token, error) {
	var role Role
	switch len(words) {
	case 1:
	case 2:
		if role = parseRole(words[0]); role == 0 || role == Coordinator {
			return token{}, errors.New("the first word must be worker, operator or viewer, and the second a token")
		}
	default:
		return token{}, errors.New("must be a role and a token, and nothing more")
	}
	text := words[len(words)-1]
	return newToken(text, role)
}

func newToken(text string, role Role) (token, error) {
	if len(text) < TokenCharsMin {
		return token{}, fmt.Errorf("the token has %d characters: must have at least %d", len(text), TokenCharsMin)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return token{}, errors.New("the token must consist of printable ASCII characters without blanks")
	}
	return token{text: text, hash: sha256.Sum256([]byte(text)), role: role}, nil
}

func (ts tokens) needRoles(file string) error {
	for _, t := range ts {
		if t.role == 0 {
			return fmt.Errorf("%s: each line must be a role (worker, operator or viewer), a blank and a token", file)
		}
	}
	return nil
}

// find looks up a token. Its time depends only on the number of tokens.
func (ts tokens) find(text string) (token, bool) {
	hash := sha256.Sum256([]byte(text))
	at := -1
	for i := range ts {
		at = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(ts[i].hash[:], hash[:]), i, at)
	}
	if at < 0 {
		return token{}, false
	}
	return ts[at], true
}

// first returns the first token of a role, or the empty text. Role zero means any.
func (ts tokens) first(role Role) string {
	for _, t := range ts {
		if role == 0 || t.role == role {
			return t.text
		}
	}
	return ""
}
