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
	flags.IntVarP(&f.N, "number", "n", 12, "draw at most `K`")
	flags.StringVarP(&f.Out, "output", "o", "", "write to `FILE`, which appears once complete (default: standard output)")
	shell.FormatFlag(cmd, &f.Format, "", dbDrawFormats...)
	flags.BoolVar(&f.Cards, "cards", false, "cards to print")
	flags.BoolVar(&f.Labels, "labels", false, "label vehicles as moves name them (default with --cards)")
	flags.BoolVar(&f.Dark, "dark", false, "for a dark background")
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
	p := &drawing.Pictures{Flags: f, Env: env}
	return withDatabase(arg, s, func(d *openDB) error {
		var records []*sweep.Record
		for r, err := range d.Select(s.filter(), s.order()) {
			if err != nil {
				return err
			}
			if records = append(records, r); len(records) == f.N {
				break
			}
		}
		if len(records) == 0 {
			return exit.Errorf(exit.NotFound, "%s has no matching records", d.dir)
		}
		if err := drawRecords(cmd.Context(), p, d, records); err != nil {
			return err
		}
		return p.Write()
	})
}

// drawRecords draws records.
func drawRecords(ctx context.Context, p *drawing.Pictures, d *openDB, records []*sweep.Record) error {
	if p.Flags.Cards && !d.boards.Reversible {
		return exit.Errorf(exit.Usage, "cards need solutions, which sweeps do not compute if moves are irreversible, as in %s: leave out --cards", d.boards.Family)
	}
	sheet := draw.Sheet{Heading: filepath.Base(d.dir)}
	var explorer pack.Explorer
	for i, r := range records {
		b, err := d.boards.Board(r)
		if err != nil {
			return err
		}
		pic := portrait.Look(b).Picture(b.Puzzle.Starts())
		moves := quantity.Counted(int64(r.Distance()), "move")
		if !p.Flags.Cards {
			sheet.Panels = append(sheet.Panels, draw.Panel{Picture: pic, Caption: fmt.Sprintf("%s, %s", moves, quantity.Counted(int64(r.States()), "state"))})
			continue
		}
		puzzle, err := explorer.Explore(ctx, r, b)
		if err != nil {
			return err
		}
		p.Cards = append(p.Cards, draw.Card{
			Title: fmt.Sprintf("%s %d", sheet.Heading, i+1), Note: moves + " (" + b.Metric + ")" + gradeNote(puzzle), Picture: pic, Solution: puzzle.Solution,
		})
	}
	p.Title = sheet.Heading
	if !p.Flags.Cards {
		sheet.Note = fmt.Sprintf("%s of %s", quantity.Counted(int64(len(records)), "record"), quantity.Count(int64(d.Totals().Records)))
		p.Scene = sheet.Draw(p.Options(true))
	}
	return nil
}

// gradeNote is the grade as a card has it.
func gradeNote(p *pack.Puzzle) string {
	if p.How.Grade == nil {
		return ""
	}
	return fmt.Sprintf(", grade %d", p.How.Grade.Grade)
}
