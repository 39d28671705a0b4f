package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/sokoban"
	"github.com/everystate/everystate/puzzle"
)

const sweepSokobanHelp = `Sweep sokoban enumerates all goal sets of a room: all choices of targets for the
boxes. A room is the walls and floor of a Sokoban level. For each goal set it searches
backwards from the solved states for all states from which the boxes can be pushed
onto the targets, and finds the hardest start, the one that takes the most pushes.

Boxes and targets in the room count as floor. The player marks which floor is meant;
it may be left out if walls enclose only one.`

const sweepSokobanExample = `  everystate sweep sokoban room.txt --boxes 2
  everystate sweep sokoban '#####/#---#/#---#/#---#/#####' --boxes 3 --top 3
  everystate sweep sokoban room.txt --boxes 4 --sample 1/100 --min-distance 30`

// sweepSokoban holds the flags of the command.
type sweepSokoban struct {
	sweepPlace
	boxes, minDistance int
	sample, mirrors    string
}

func sweepSokobanCommand(env *shell.Env) *cobra.Command {
	var f sweepSokoban
	cmd := &cobra.Command{
		Use:     "sokoban ROOM",
		Short:   "Enumerate all goal sets of a Sokoban room",
		Long:    sweepSokobanHelp,
		Example: sweepSokobanExample,
		Args:    shell.Exactly(1, "ROOM"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runSweepSokoban(env, cmd, &f, args[0]) },
	}
	flags := cmd.Flags()
	shell.IntVar(flags, &f.boxes, "boxes", 0, "number `K` of boxes, and of targets")
	flags.StringVar(&f.mirrors, "mirrors", "apart", "`HOW` to count goal sets that are mirror images or rotations of each other: apart, or merged into one")
	shell.Choices(flags, "mirrors", "apart", "merged")
	shell.IntVar(flags, &f.minDistance, "min-distance", 0, "keep only puzzles of `D` pushes or more")
	flags.StringVar(&f.sample, "sample", "1/1", "enumerate only a sample of the goal sets, one in N: `1/N`")
	f.flags(flags)
	return cmd
}

func runSweepSokoban(env *shell.Env, cmd *cobra.Command, f *sweepSokoban, arg string) error {
	if !cmd.Flags().Changed("boxes") {
		return exit.Usagef(cmd, "--boxes K is required")
	}
	rules := sokoban.Rules{Boxes: f.boxes, MinDistance: f.minDistance}
	var err error
	if rules.Sample, err = sweep.ParseSample(f.sample); err != nil {
		return exit.Usagef(cmd, "--sample %s: %v", f.sample, err)
	}
	if rules.Merged, err = sokoban.ParseMirrors(f.mirrors); err != nil {
		return exit.Usagef(cmd, "--mirrors %s: %v", f.mirrors, err)
	}
	if err := cmp.Or(checkMinDistance(cmd, f.minDistance), f.check(cmd)); err != nil {
		return err
	}
	in, _, err := boards.ReadArgument(env, arg, func(text []byte, _ puzzle.ReadOptions) ([]puzzle.Board, error) {
		rules.Room = string(text)
		return nil, sokoban.CheckRoom(text, rules.Boxes)
	}, puzzle.ReadOptions{})
	if boxes := new(sokoban.BoxesError); errors.As(err, &boxes) {
		return exit.Usagef(cmd, "--boxes %d: %v", f.boxes, boxes)
	}
	if err != nil {
		return exit.Refused(boards.Placed(in.Label, err))
	}
	e, err := sokoban.New(rules)
	if err != nil {
		return exit.Usagef(cmd, "%s", shell.OneLine(err))
	}
	return beginSweep(env, cmd, &f.sweepPlace, e, f.name(in.Base, &rules))
}

// name returns the default name of a sweep.
func (f *sweepSokoban) name(base string, r *sokoban.Rules) string {
	if base == "" {
		base = "room"
	}
	parts := []string{"sokoban", base, fmt.Sprintf("boxes-%d", r.Boxes)}
	if r.Merged {
		parts = append(parts, "mirrors-merged")
	}
	if r.MinDistance > 0 {
		parts = append(parts, fmt.Sprintf("from-%d", r.MinDistance))
	}
	if r.Sample > 1 {
		parts = append(parts, fmt.Sprintf("sample-%d", r.Sample))
	}
	return boards.FileName(strings.Join(parts, "-"))
}
