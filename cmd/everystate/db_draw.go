package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/draw"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/pack"
)

func dbDrawCommand(env *app) *cobra.Command {
	var f drawing
	var s selection
	cmd := &cobra.Command{
		Use:   "draw DIR",
		Short: "Draw a sheet or cards of the records in ranges",
		Long: `Draw makes a sheet of the boards that lie in the ranges given, the hardest first, or
with --cards cards to print, with solutions on the back.`,
		Example: `  everystate db draw rushhour-5x5 -n 12 -o hardest.svg
  everystate db draw rushhour-5x5 --distance 10 --cards -o cards.pdf`,
		Args: exactly(1, "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error { return dbDraw(env, cmd, &f, &s, args[0]) },
	}
	flags := cmd.Flags()
	s.flags(flags)
	s.orderFlag(flags)
	flags.IntVarP(&f.n, "number", "n", 12, "draw `K` at the most")
	flags.StringVarP(&f.out, "output", "o", "", "write to `FILE`, which appears when it is whole (default standard output)")
	flags.StringVar(&f.format, "format", "", "`FORMAT` svg, png or pdf (default what the name of FILE ends in, else svg)")
	flags.BoolVar(&f.cards, "cards", false, "cards to print")
	flags.BoolVar(&f.labels, "labels", false, "write on vehicles what moves call them (default with --cards)")
	flags.BoolVar(&f.dark, "dark", false, "for a dark background")
	flags.Float64Var(&f.scale, "scale", 0, "`S` pixels a unit, of which a cell has 40 (default 2 in PNG)")
	return cmd
}

func dbDraw(env *app, cmd *cobra.Command, f *drawing, s *selection, arg string) error {
	order, err := s.order(cmd)
	if err != nil {
		return err
	}
	if err := f.check(cmd, env, 0); err != nil {
		return err
	}
	p := &pictures{drawing: f, app: env}
	return withDatabase(arg, func(d *opened) error {
		var records []*sweep.Record
		for r, err := range d.Select(s.filter(), order) {
			if err != nil {
				return err
			}
			if records = append(records, r); len(records) == f.n {
				break
			}
		}
		if len(records) == 0 {
			return failf(exitNotFound, "%s has no such record", d.dir)
		}
		if err := p.ofRecords(cmd.Context(), d, records); err != nil {
			return err
		}
		return p.write()
	})
}

// ofRecords draws records.
func (p *pictures) ofRecords(ctx context.Context, d *opened, records []*sweep.Record) error {
	if p.drawing.cards && !d.boards.Reversible {
		return failf(exitUsage, "cards show solutions, which are not looked for where moves cannot be undone by moves, as in %s: draw a sheet, without --cards", d.boards.Family)
	}
	sheet := draw.Sheet{Heading: filepath.Base(d.dir)}
	var explorer pack.Explorer
	for i, r := range records {
		b, err := d.boards.Board(r)
		if err != nil {
			return err
		}
		look, err := pictured(b)
		if err != nil {
			return err
		}
		pic := look.Picture(b.Puzzle.Starts())
		moves := quantity.Counted(int64(r.Distance()), "move")
		if !p.drawing.cards {
			sheet.Panels = append(sheet.Panels, draw.Panel{Picture: pic, Caption: fmt.Sprintf("%s, %s", moves, quantity.Counted(int64(r.States()), "state"))})
			continue
		}
		puzzle, err := explorer.Explore(ctx, r, b)
		if err != nil {
			return err
		}
		p.cards = append(p.cards, draw.Card{
			Title: fmt.Sprintf("%s %d", sheet.Heading, i+1), Note: moves + " (" + b.Metric + ")", Picture: pic, Solution: puzzle.Solution,
		})
	}
	p.title = sheet.Heading
	if !p.drawing.cards {
		sheet.Note = fmt.Sprintf("%s of %s", quantity.Counted(int64(len(records)), "record"), quantity.Count(int64(d.Totals().Records)))
		p.scene = sheet.Draw(p.options(true))
	}
	return nil
}
