package proof

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/everystate/everystate/coordinator/history"
)

// certificateHead is the first line of a certificate.
const certificateHead = "everystate certificate 2"

// CertificateBytesMax bounds the size of a certificate.
const CertificateBytesMax = 64 << 10

// Certificate records what Check has proved of which run.
type Certificate struct {
	Run      string // where it was
	Identity string // of the run, "none" for one of a version without
	Version  string // of the program that checked it
	Family   string
	Name     string
	Metric   string
	Board    string // SHA-256 of the board's text and its module
	Complete bool   // all that can be reached is there, not only the first layers
	States   int64
	Layers   int
	Distance int    // layers of goal distances, -1 if there are none
	Table    string // SHA-256 of states and digests of all layers
	Digest   string // of the run
	Checked  []string
}

// Certify returns the certificate of a run that Check found correct.
func Certify(run, version string, spec history.Spec, h *history.History, res Result) Certificate {
	c := describe(spec, h)
	c.Run, c.Version = run, version
	c.Checked = []string{
		"every file, block and layer has the checksum, counts and digest that were committed",
		fmt.Sprintf("%d states are each in one layer, and the start states are layer 0", res.States),
		fmt.Sprintf("%d successors are each in the next layer, the same or an earlier one", res.Successors),
		"every other state is a successor of one in the previous layer, by the least such move",
	}
	if c.Distance >= 0 {
		c.Checked = append(c.Checked, fmt.Sprintf("%d goal distances are 0 at goals, and otherwise one more than the least among the successors", res.Distances))
	}
	return c
}

// describe fills in what identifies a run and its layers.
func describe(spec history.Spec, h *history.History) Certificate {
	board := sha256.New()
	fmt.Fprintf(board, "%d %s%s", len(spec.Text), spec.Text, spec.Module)
	c := Certificate{
		Family: spec.Family, Name: spec.Name, Metric: spec.Metric, Board: fmt.Sprintf("%x", board.Sum(nil)),
		Complete: h.End(history.Forward) != nil, States: h.States(history.Forward), Layers: len(h.Layers(history.Forward)),
		Identity: h.Identity().String(), Distance: -1, Table: tableOf(h), Digest: h.Digest().String(),
	}
	if n := len(h.Layers(history.Goal)); n > 0 || h.End(history.Goal) != nil {
		c.Distance = n
	}
	return c
}

// tableOf returns the SHA-256 of the states and digests of all layers.
func tableOf(h *history.History) string {
	table := sha256.New()
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		for _, l := range h.Layers(phase) {
			fmt.Fprintf(table, "%d %d %d %d %v\n", l.Phase, l.Depth, l.States, l.Goals, l.Digest)
		}
	}
	return fmt.Sprintf("%x", table.Sum(nil))
}

// A MismatchError reports that a run is not the one of a certificate, or is no longer what
// was proved.
type MismatchError struct{ What, Is, Want string }

func (e *MismatchError) Error() string {
	return fmt.Sprintf("does not match the certificate: %s %s, the certificate has %s", e.What, e.Is, e.Want)
}

// Holds returns a *MismatchError if a run is not the certificate's, or has other layers.
func (c *Certificate) Holds(spec history.Spec, h *history.History) error {
	is := describe(spec, h)
	for _, f := range []struct{ what, is, want string }{
		{"puzzle", is.Family, c.Family},
		{"metric", is.Metric, c.Metric},
		{"board", is.Board, c.Board},
		{"complete", strconv.FormatBool(is.Complete), strconv.FormatBool(c.Complete)},
		{"layers", strconv.Itoa(is.Layers), strconv.Itoa(c.Layers)},
		{"goal-distance layers", orNone(is.Distance), orNone(c.Distance)},
		{"states", strconv.FormatInt(is.States, 10), strconv.FormatInt(c.States, 10)},
		{"digest", is.Digest, c.Digest},
		{"table", is.Table, c.Table},
		{"identity", is.Identity, c.Identity},
	} {
		if f.is != f.want {
			return &MismatchError{f.what, f.is, f.want}
		}
	}
	return nil
}

// orNone writes a number of layers, of which -1 are none at all.
func orNone(layers int) string {
	if layers < 0 {
		return "none"
	}
	return strconv.Itoa(layers)
}

// Text returns the certificate as stored in a file. Its last line is a checksum,
// which detects accidental changes: it is not a signature.
func (c *Certificate) Text() []byte {
	var b bytes.Buffer
	b.WriteString(certificateHead + "\n")
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%s: "+format+"\n", append([]any{name}, args...)...)
	}
	line("run", "%q", c.Run)
	line("identity", "%s", c.Identity)
	line("puzzle", "%q", c.Family)
	line("name", "%q", c.Name)
	line("metric", "%q", c.Metric)
	line("board", "%s", c.Board)
	line("complete", "%t", c.Complete)
	line("states", "%d", c.States)
	line("layers", "%d", c.Layers)
	line("goal-layers", "%d", c.Distance)
	line("table", "%s", c.Table)
	line("digest", "%s", c.Digest)
	for _, what := range c.Checked {
		line("checked", "%q", what)
	}
	line("version", "%q", c.Version)
	line("sha256", "%x", sha256.Sum256(b.Bytes()))
	return b.Bytes()
}

// IsCertificate reports whether a file begins like a certificate.
func IsCertificate(head []byte) bool { return bytes.HasPrefix(head, []byte("everystate certificate ")) }

var errCertificate = errors.New("is not a certificate of this version, or has been changed")

// ReadCertificate reads what Text returns.
func ReadCertificate(text []byte) (Certificate, error) {
	var c Certificate
	if len(text) > CertificateBytesMax || !bytes.HasPrefix(text, []byte(certificateHead+"\n")) {
		return c, errCertificate
	}
	for _, line := range strings.Split(string(text), "\n")[1:] {
		name, value, _ := strings.Cut(line, ": ")
		var err error
		switch name {
		case "run":
			c.Run, err = strconv.Unquote(value)
		case "puzzle":
			c.Family, err = strconv.Unquote(value)
		case "name":
			c.Name, err = strconv.Unquote(value)
		case "metric":
			c.Metric, err = strconv.Unquote(value)
		case "version":
			c.Version, err = strconv.Unquote(value)
		case "checked":
			var what string
			what, err = strconv.Unquote(value)
			c.Checked = append(c.Checked, what)
		case "identity":
			c.Identity = value
		case "board":
			c.Board = value
		case "table":
			c.Table = value
		case "digest":
			c.Digest = value
		case "complete":
			c.Complete, err = strconv.ParseBool(value)
		case "states":
			c.States, err = strconv.ParseInt(value, 10, 64)
		case "layers":
			c.Layers, err = strconv.Atoi(value)
		case "goal-layers":
			c.Distance, err = strconv.Atoi(value)
		}
		if err != nil {
			return c, errCertificate
		}
	}
	// Whatever differs when written again was not written by Text.
	if !bytes.Equal(c.Text(), text) {
		return c, errCertificate
	}
	return c, nil
}
