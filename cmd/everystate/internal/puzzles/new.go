package puzzles

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/sdk"
)

//go:embed templates
var templates embed.FS

// A template is a puzzle of one kind, to start another from.
type template struct {
	files []templateFile
	next  [2]string // commands to run first
}

type templateFile struct{ path, text string }

// river names the puzzle of the templates in programming languages, and its board.
const river = "river"

// languages returns the kinds of templates that are built into a module.
func languages() []string { return []string{"go", "c", "rust"} }

func kindNames() []string { return append(languages(), familyNames()...) }

func newPuzzleCommand(env *shell.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "new KIND DIR",
		Short: "Write a template for a puzzle of your own",
		Long: `New writes a small working puzzle into DIR, which must be empty or not exist, and
names the commands to run next. KIND is a language, or a puzzle that files describe:

  go, c, rust    a WebAssembly module (docs/WASM.md) with all that is needed to build it
  puzzlescript   a game on a grid, in PuzzleScript
  murphi         variables and rules with guards, for puzzles without a grid
  permutation    pieces and the moves that permute them
  ...            an example of any other built-in puzzle (see puzzles)`,
		Example: `  everystate puzzles new puzzlescript stones
  everystate puzzles new go mine`,
		Args: shell.Exactly(2, "KIND DIR"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return kindNames(), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(_ *cobra.Command, args []string) error { return newPuzzle(env, args[0], args[1], asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}

func newPuzzle(env *shell.Env, kind, dir string, asJSON bool) error {
	if dir == "" {
		return exit.Errorf(exit.Usage, "DIR is empty: name a directory, such as . for this one")
	}
	t, err := templateOf(env, kind, dir)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	switch {
	case err == nil && len(entries) > 0:
		return exit.Errorf(exit.Usage, "%s is not empty: choose a directory that is empty or does not exist", dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return exit.Errorf(exit.Usage, "%s is not a directory that can be written to", dir)
	}
	var out shell.WrittenJSON
	for _, f := range t.files {
		if err := writeNew(filepath.Join(dir, filepath.FromSlash(f.path)), f.text); err != nil {
			return exit.Errorf(exit.Failed, "%v", err)
		}
		file := path.Join(filepath.ToSlash(dir), f.path)
		if out.Files = append(out.Files, file); !asJSON {
			fmt.Fprintf(env.Out, "wrote %s\n", file)
		}
	}
	if asJSON {
		return env.JSON(out)
	}
	fmt.Fprintf(env.Out, "\nnext  %s\n      %s\n", t.next[0], t.next[1])
	return env.Out.Flush()
}

// writeNew writes a file that must not exist yet.
func writeNew(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return cmp.Or(err, f.Close())
}

// templateOf returns the template of a kind. Its commands find it in dir.
func templateOf(env *shell.Env, kind, dir string) (*template, error) {
	in := func(name string) string { return shell.Quote(filepath.Join(dir, name)) }
	var t *template
	var build string
	var err error
	switch kind {
	case "go":
		t, err = goTemplate()
		build = "GOOS=wasip1 GOARCH=wasm go build -C " + shell.Quote(dir) + " -buildmode=c-shared -ldflags='-s -w' -o river.wasm ."
	case "c":
		t, err = sdkTemplate("c/everystate.h", "c/examples/river.c")
		build = "clang --target=wasm32 -O3 -nostdlib -ffreestanding -Wl,--no-entry -Wl,--strip-all -o " + in("river.wasm") + " " + in("river.c")
	case "rust":
		t, err = sdkTemplate("rust/everystate.rs", "rust/examples/river.rs")
		build = "rustc --target wasm32-unknown-unknown --crate-type cdylib --edition 2021 -C opt-level=3 -C panic=abort -C strip=symbols -o " +
			in("river.wasm") + " " + in("river.rs")
	default:
		f, known := families.ByName(kind)
		if !known {
			return nil, exit.Errorf(exit.Usage, "there is no template for %q: the kinds are %s%s", kind, strings.Join(kindNames(), ", "), shell.Meant(kind, kindNames()))
		}
		name := f.Name + ".txt"
		text, err := familyTemplate(&f)
		board := filepath.Join(dir, name)
		return &template{
			files: []templateFile{{name, text}},
			next:  [2]string{env.Command("explore", board), env.Command("play", board)},
		}, err
	}
	if err != nil {
		return nil, err
	}
	board, err := templates.ReadFile("templates/" + river + ".txt")
	t.files = append(t.files, templateFile{river + ".txt", string(board)})
	t.next = [2]string{build, env.Command("puzzles", "check", filepath.Join(dir, river+".wasm"), filepath.Join(dir, river+".txt"))}
	return t, err
}

// sdkTemplate returns a template with files of an SDK in one directory.
func sdkTemplate(files ...string) (*template, error) {
	t := &template{}
	for _, name := range files {
		text, err := sdk.Files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		t.files = append(t.files, templateFile{path.Base(name), strings.Replace(string(text), "\"../everystate.", "\"everystate.", 1)})
	}
	return t, nil
}

// goVersion is the oldest language version that package puzzle and its SDK compile
// with.
const goVersion = "go 1.24\n"

// goTemplate returns a template with a copy of the packages that the example
// imports. Its go.mod replaces this module with the copy, so nothing is downloaded.
func goTemplate() (*template, error) {
	const module = "github.com/everystate/everystate"
	t := &template{files: []templateFile{
		{"go.mod", "module example.com/" + river + "\n\n" + goVersion + "\nrequire " + module + " v0.0.0\n\n" +
			"// The folder everystate is a copy of the packages that a module needs.\nreplace " + module + " => ./everystate\n"},
		{"everystate/go.mod", "module " + module + "\n\n" + goVersion},
	}}
	source, err := fs.ReadDir(puzzle.Source, ".")
	if err != nil {
		return nil, err
	}
	for _, f := range source {
		text, err := puzzle.Source.ReadFile(f.Name())
		if err != nil {
			return nil, err
		}
		t.files = append(t.files, templateFile{"everystate/puzzle/" + f.Name(), string(text)})
	}
	for from, to := range map[string]string{
		"go/doc.go": "everystate/puzzle/sdk/go/doc.go", "go/exports.go": "everystate/puzzle/sdk/go/exports.go",
		"go/examples/river/main.go": "main.go",
	} {
		text, err := sdk.Files.ReadFile(from)
		if err != nil {
			return nil, err
		}
		t.files = append(t.files, templateFile{to, string(text)})
	}
	slices.SortFunc(t.files, func(a, b templateFile) int { return strings.Compare(a.path, b.path) })
	return t, nil
}

// familyTemplate returns the template of a family, or its example.
func familyTemplate(f *families.Family) (string, error) {
	if text, err := templates.ReadFile("templates/" + f.Name + ".txt"); err == nil {
		return string(text), nil
	}
	head := "; " + strings.ToUpper(f.Summary[:1]) + f.Summary[1:] + ".\n; docs/NOTATIONS.md describes the notation and its headers.\n"
	example := f.Formats[0].Example + "\n"
	name := "puzzle: " + f.Name + "\n"
	for _, text := range []string{head + name + "\n" + example, head + example, head + name + example, example} {
		if found, err := families.Read([]byte(text), puzzle.ReadOptions{}); err == nil && found[0].Family == f.Name && found[0].Warning == "" {
			return text, nil
		}
	}
	return "", fmt.Errorf("the example of %s cannot be read", f.Name)
}
