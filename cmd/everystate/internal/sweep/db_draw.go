package sweep

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/drawing"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/draw"
	"github.com/everystate/everystate/internal/portrait"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/pack"
)

func dbDrawCommand(env *shell.Env) *cobra.Command {
	var f drawing.Flags
	var s selection
	cmd := &cobra.Command{
		Use:   "draw DIR",
		Short: "Draw a sheet or cards of the records in the given ranges",
		Long: `Draw draws a sheet of the boards in the given ranges, the hardest first; with --cards,
cards to print, with solutions on the back.`,
		Example: `  everystate db draw rushhour-5x5 -n 12 -o hardest.svg
  everystate db draw rushhour-5x5 --distance 10 --cards -o cards.pdf`,
		Args: shell.Exactly(1, "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error { return dbDraw(env, cmd, &f, &s, args[0]) },
	}
	flags := cmd.Flags()
	s.flags(flags)
	s.gradeFlag(flags)
	s.orderFlag(flags)
	shell.CountVarP(flags, &f.N, "number", "n", 12, "draw at most `K`")
	flags.StringVarP(&f.Out, "output", "o", "", "write to `FILE`, which appears once complete (default: standard output)")
	shell.FormatFlag(cmd, &f.Format, "", dbDrawFormats...)
	flags.BoolVar(&f.Cards, "cards", false, "cards to print")
	flags.BoolVar(&f.Labels, "labels", false, "label vehicles as moves name them (default with --cards)")
	flags.BoolVar(&f.Dark, "dark", false, "for a dark background")
	flags.BoolVarP(&f.Quiet, "quiet", "q", false, "do not show progress")
	flags.Float64Var(&f.Scale, "scale", 0, "`S` pixels per unit; a cell has 40 units (default: 2 in PNG)")
	return cmd
}

// dbDrawFormats are the formats of sheets and cards, which are not animated.
var dbDrawFormats = []string{"svg", "png", "pdf"}

func dbDraw(env *shell.Env, cmd *cobra.Command, f *drawing.Flags, s *selection, arg string) error {
	var err error
	if f.Format, err = shell.FormatOf(cmd, f.Format, f.Out, dbDrawFormats...); err != nil {
		return err
	}
	if err := f.Check(cmd, env, 0); err != nil {
		return err
	}
	s.n = f.N
	return withDatabase(env, arg, s, func(d *openDB) error {
		switch {
		case d.boards.Fault() != nil:
			return exit.Errorf(exit.Usage, "%s cannot be drawn: %v", d.dir, d.boards.Fault())
		case f.Cards && !d.boards.Reversible:
			return exit.Errorf(exit.Usage, "cards need solutions, which sweeps do not compute if moves are irreversible, as in %s: leave out --cards", d.boards.Family)
		}
		p := recordsDrawn{d: d, cards: f.Cards}
		view := d.steps(env, "draw", "drawing ")
		n, err := d.each(cmd.Context(), env, f.Quiet, view, s, func(r *sweep.Record) error { return p.add(cmd.Context(), r) })
		switch {
		case err != nil:
			return err
		case n == 0:
			return errNoMatch
		}
		view.At("writing", 1)
		shown := env.Show(f.Quiet, view)
		defer shown.Stop()
		return p.pictures(env, f).Write(cmd.Context())
	})
}

// recordsDrawn are records drawn one after another, on a sheet or as cards.
type recordsDrawn struct {
	d        *openDB
	cards    bool
	explorer pack.Explorer
	panels   []draw.Panel
	backed   []draw.Card
}

// add draws a record.
func (p *recordsDrawn) add(ctx context.Context, r *sweep.Record) error {
	b, err := p.d.boards.Board(r)
	if err != nil {
		return err
	}
	pic := portrait.Look(b).Picture(b.Puzzle.Starts())
	moves := quantity.Counted(int64(r.Distance()), "move")
	if !p.cards {
		p.panels = append(p.panels, draw.Panel{Picture: pic, Caption: fmt.Sprintf("%s, %s", moves, quantity.Counted(int64(r.States()), "state"))})
		return nil
	}
	puzzle, err := p.explorer.Explore(ctx, r, b)
	if err != nil {
		return err
	}
	p.backed = append(p.backed, draw.Card{
		Title: fmt.Sprintf("%s %d", filepath.Base(p.d.dir), len(p.backed)+1), Note: moves + " (" + b.Metric + ")" + gradeNote(puzzle), Picture: pic, Solution: puzzle.Solution,
	})
	return nil
}

// pictures returns what was drawn, to be written.
func (p *recordsDrawn) pictures(env *shell.Env, f *drawing.Flags) *drawing.Pictures {
	out := &drawing.Pictures{Flags: f, Env: env, Title: filepath.Base(p.d.dir), Cards: p.backed}
	if !p.cards {
		sheet := draw.Sheet{Heading: out.Title, Panels: p.panels}
		sheet.Note = fmt.Sprintf("%s of %s", quantity.Counted(int64(len(p.panels)), "record"), quantity.Count(int64(p.d.Totals().Records)))
		out.Scene = sheet.Draw(out.Options(true))
	}
	return out
}

// gradeNote is the grade as a card has it.
func gradeNote(p *pack.Puzzle) string {
	if p.How.Grade == nil {
		return ""
	}
	return fmt.Sprintf(", grade %d", p.How.Grade.Grade)
}
