package wasm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/everystate/everystate/internal/wasm/kept"
	"github.com/everystate/everystate/internal/wasm/meter"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// Family is the family of all boards of modules.
const Family = "wasm"

// Options say how to open a board.
type Options struct {
	// Name is the module's name in failures. Empty means the beginning of its hash.
	Name string

	// Metric is passed to the module. Empty means the board's metric, or the module's
	// default.
	Metric string

	// MemoryBytesMax bounds the memory of an instance; there is one for each
	// concurrent call. Zero means 256 MiB.
	MemoryBytesMax int64

	// StepsMax bounds the steps of a call: iterations of loops, calls of functions
	// and 16 bytes of a bulk operation. Zero means 1<<30, a few seconds.
	StepsMax int64
}

func (o *Options) ensureDefaults(hash string) {
	if o.Name == "" {
		o.Name = "sha256:" + hash[:12]
	}
	if o.MemoryBytesMax == 0 {
		o.MemoryBytesMax = 256 << 20
	}
	if o.StepsMax == 0 {
		o.StepsMax = 1 << 30
	}
}

const pageBytes = 64 << 10

// Hash returns the name of a module: the SHA-256 of its bytes, in hexadecimal.
func Hash(module []byte) string {
	sum := sha256.Sum256(module)
	return hex.EncodeToString(sum[:])
}

const (
	textHead  = "puzzle: " + Family + "\nmodule: sha256:"
	hashBytes = 2 * sha256.Size
	textTail  = "\n\n"
)

// IsStored reports whether a text is the canonical text of a module's board, and
// returns the module's hash and the module's own text.
func IsStored(text string) (hash, own string, ok bool) {
	rest, ok := strings.CutPrefix(text, textHead)
	if !ok || len(rest) < hashBytes+len(textTail) || rest[hashBytes:hashBytes+len(textTail)] != textTail {
		return "", "", false
	}
	return rest[:hashBytes], rest[hashBytes+len(textTail):], true
}

// Open reads a board with a module. The error is a *ModuleError if the module is at
// fault, and a *puzzle.InputError if the text is.
//
// The text is the module's own or the canonical one.
func Open(module []byte, text string, opts Options) (puzzle.Board, error) {
	hash := Hash(module)
	opts.ensureDefaults(hash)
	lines := 0
	if of, own, ok := IsStored(text); ok {
		if of != hash {
			return puzzle.Board{}, &puzzle.InputError{Line: 2, What: "the board belongs to the module sha256:" + of + ", but this is sha256:" + hash}
		}
		lines = strings.Count(text[:len(text)-len(own)], "\n")
		text = own
	}
	switch {
	case len(text) > TextBytesMax:
		return puzzle.Board{}, &puzzle.InputError{What: fmt.Sprintf("a board of %d bytes: at most %d", len(text), TextBytesMax)}
	case !utf8.ValidString(text):
		return puzzle.Board{}, &puzzle.InputError{What: "the board is not text in UTF-8"}
	}
	g, err := load(module, opts)
	if err != nil {
		return puzzle.Board{}, err
	}
	board, err := g.open(hash, text, opts.Metric)
	if err != nil {
		g.runtime.close() // no one else has it
	}
	var input *puzzle.InputError
	if errors.As(err, &input) && input.Line > 0 {
		input.Line += lines
	}
	return board, err
}

// ReadStored reads the board that a run stores as its text, of any family. module is
// the run's stored module, empty if it needs none; above is Board.Above.
func ReadStored(text, module string, above int) (puzzle.Board, error) {
	hash, _, is := IsStored(text)
	if !is {
		return families.ReadStored(text, above)
	}
	if Hash([]byte(module)) != hash {
		return puzzle.Board{}, fmt.Errorf("cannot read the stored puzzle: its module sha256:%s is incomplete", hash)
	}
	board, err := Open([]byte(module), text, Options{})
	if err != nil {
		return puzzle.Board{}, fmt.Errorf("the stored puzzle cannot be read: %w", err)
	}
	return board, nil
}

// ModuleOf returns the module of a puzzle, empty if the puzzle is built in.
func ModuleOf(p puzzle.Puzzle) string {
	if g, ok := p.(interface{ moduleBytes() string }); ok {
		return g.moduleBytes()
	}
	return ""
}

func (g *game) moduleBytes() string { return g.module }

// load compiles a module.
func load(module []byte, opts Options) (*game, error) {
	fault := func(what string) error { return &ModuleError{Module: opts.Name, What: oneLine(what, 4*faultBytesMax)} }
	if len(module) > ModuleBytesMax {
		return nil, fault(fmt.Sprintf("has %d bytes: at most %d", len(module), ModuleBytesMax))
	}
	counted, err := meter.Add(module)
	if err != nil {
		return nil, fault(err.Error())
	}
	g := &game{name: opts.Name, module: string(module), stepsMax: opts.StepsMax}
	pages := uint32(min(max(1, opts.MemoryBytesMax/pageBytes), math.MaxUint16))
	place := kept.Open(counted)
	err = g.compile(counted, pages, place)
	switch {
	case place == nil:
	case err == nil:
		place.Keep()
	default: // perhaps only because of what is kept
		place.Drop()
		err = g.compile(counted, pages, nil)
	}
	if err != nil {
		return nil, fault(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	g.draws = g.compiled.ExportedFunctions()[signatures[fnDraw].name] != nil
	return g, nil
}

// machine runs a module, and holds its code.
type machine struct {
	wazero.Runtime

	place *kept.Module // nil if the code is not kept
}

func (m machine) close() {
	_ = m.Close(context.Background()) // no longer used
	if m.place != nil {
		m.place.Close()
	}
}

// compile compiles a module, or reads it from where it is kept, and checks its shape.
// place is nil if it is not kept.
func (g *game) compile(counted []byte, pages uint32, place *kept.Module) error {
	ctx := context.Background()
	config := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2).
		WithMemoryLimitPages(pages)
	if place != nil {
		config = config.WithCompilationCache(place.Cache)
	}
	m := machine{wazero.NewRuntimeWithConfig(ctx, config), place}
	compiled, err := compile(ctx, m.Runtime, counted)
	if err == nil {
		err = checkShape(compiled)
	}
	if err == nil {
		_, err = wasi_snapshot_preview1.Instantiate(ctx, m.Runtime)
	}
	if err != nil {
		m.close()
		return err
	}
	g.runtime, g.compiled = m, compiled
	return nil
}

// compile compiles a module. The runtime's check of its functions panics on some that are
// malformed.
func compile(ctx context.Context, r wazero.Runtime, module []byte) (compiled wazero.CompiledModule, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("not a valid module: %v", v)
		}
	}()
	return r.CompileModule(ctx, module)
}

// open opens the board, and then again by its canonical text, which must give the
// same puzzle.
func (g *game) open(hash, text, metric string) (puzzle.Board, error) {
	g.text, g.metric = text, metric
	asked, starts, err := g.look()
	if err != nil {
		return puzzle.Board{}, err
	}
	g.text, g.metric = asked.text, ""
	again, startsAgain, err := g.look()
	var input *puzzle.InputError
	switch {
	case errors.As(err, &input):
		return puzzle.Board{}, &ModuleError{g.name, "es_open refuses the text that es_info gives for the board: " + input.Error()}
	case err != nil:
		return puzzle.Board{}, err
	case again != asked || !slices.Equal(starts, startsAgain):
		return puzzle.Board{}, &ModuleError{g.name, "the text that es_info gives for the board is read as a different board: keys, moves, starts and texts must be the same"}
	}
	g.info, g.starts = again, starts
	runtime.AddCleanup(g, machine.close, g.runtime)
	return puzzle.Board{
		Puzzle: g.kind(),
		Family: Family,
		Name:   again.name,
		Metric: again.metric,
		Text:   textHead + hash + textTail + again.text,
		Note:   again.note,
		Expect: puzzle.ExpectNothing(),
	}, nil
}

// look opens the board in its own instance.
func (g *game) look() (info, []uint64, error) {
	in, i, err := g.instance()
	var input *puzzle.InputError
	if errors.As(err, &input) {
		return i, nil, input
	}
	if err != nil {
		return i, nil, &ModuleError{g.name, err.Error()}
	}
	starts := in.readStarts(i.layout)
	in.checkInfo(&i)
	fault := in.fault
	if err := in.module.Close(context.Background()); err != nil && fault == "" {
		fault = oneLine(err.Error(), faultBytesMax)
	}
	if fault != "" {
		return i, nil, &ModuleError{g.name, fault}
	}
	return i, starts, nil
}

// checkInfo checks the texts, and reports what is missing.
func (in *instance) checkInfo(i *info) {
	switch {
	case i.metric == "":
		in.failf("es_info gives no metric: must be one word for what counts as a move")
	case strings.ContainsFunc(i.metric, func(r rune) bool { return r > unicode.MaxASCII || r == ' ' || r == '/' }):
		in.failf("es_info gives the metric %q: must be a word of ASCII letters, digits and hyphens", i.metric)
	case !printable(i.text):
		in.failf("es_info returns a text that is not lines of printable characters")
	}
}

// printable reports whether a text consists of lines of printable characters.
func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
}

// kind returns the game with the optional methods of its module.
func (g *game) kind() puzzle.Puzzle {
	switch {
	case g.info.onward && g.info.backward:
		return onwardBackwardGame{g}
	case g.info.onward:
		return onwardGame{g}
	case g.info.backward:
		return backwardGame{g}
	}
	return g
}
