package sweep

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/puzzle/digest"
)

const sweepSumHelp = `Sum adds up the summaries of parts of a sweep: files that sweep --part K/N --json
wrote. Counts and digests of all parts add up to those of the whole, so a few kilobytes
per part are enough to do a large sweep over time, on machines that do not keep
their disks. With --json, the sum is itself a summary and can be added to others.

Summaries of different versions of the program can be added too, if they left out
different boards: puzzles and records are the same, but the counts of what was visited
and the digest over them are not, and are left out.`

func sweepSumCommand(env *shell.Env) *cobra.Command {
	var f Sweeping
	cmd := &cobra.Command{
		Use:     "sum FILE...",
		Short:   "Add up the summaries of parts of a sweep",
		Long:    sweepSumHelp,
		Example: "  everystate sweep sum part-*.json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exit.Usagef(cmd, "needs the summaries of parts, which sweep --part K/N --json prints")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return runSweepSum(env, &f, args) },
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}

func runSweepSum(env *shell.Env, f *Sweeping, files []string) error {
	sum, err := readSummary(files[0])
	if err != nil {
		return err
	}
	for _, file := range files[1:] {
		s, err := readSummary(file)
		if err == nil {
			err = sum.add(s)
		}
		if err != nil {
			return exit.Errorf(exit.Usage, "%s: %v", file, err)
		}
	}
	missing := !sum.Part.Whole()
	sum.Complete = sum.Complete && !missing
	if err := reportSweep(env, f, sum); err != nil {
		return err
	}
	if missing {
		return exit.Errorf(exit.Incomplete, "not the whole sweep: %s of %s are there (%s)", quantity.Count(int64(len(sum.Part.Numbers))), quantity.Counted(int64(sum.Part.Of), "part"), sum.Part)
	}
	return nil
}

// pathless returns an error of a file without its name.
func pathless(err error) error {
	if path := new(os.PathError); errors.As(err, &path) {
		return path.Err
	}
	return err
}

// readSummary reads what a sweep wrote with --json.
func readSummary(file string) (*sweepSummary, error) {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return nil, exit.Errorf(exit.Usage, "%s is a directory: must be a file with the summary of a part", file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "%s: %v", file, pathless(err))
	}
	var in SweepJSON
	const want = "must be the summary of a part, as sweep --part K/N --json prints it"
	wrong := func(format string, args ...any) error {
		return exit.Errorf(exit.Usage, "%s: %s: %s", file, fmt.Sprintf(format, args...), want)
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, exit.Errorf(exit.Usage, "%s: %s", file, want) // the words of the parser are about JSON
	}
	if in.Rules == "" {
		return nil, wrong("it has no rules")
	}
	s := &sweepSummary{Rules: in.Rules, Totals: in.Totals, Complete: in.Complete, UnitsInAll: in.UnitsAll, Seconds: in.Seconds, OfRecordsAlone: in.Digest == ""}
	if s.Part, err = sweep.ParsePart(in.Part); err != nil {
		return nil, wrong("part %q: %v", in.Part, err)
	}
	if !s.Complete && in.Units < uint64(in.UnitsAll) {
		return nil, wrong("part %s was stopped after %d of %d units, resume it first", in.Part, in.Units, in.UnitsAll)
	}
	puzzles, states := uint64(0), uint64(0)
	for i := range in.Distances {
		puzzles, states = puzzles+in.Distances[i].Puzzles, states+in.Distances[i].PuzzleStates
	}
	if puzzles != in.Puzzles || states != in.PuzzleStates {
		return nil, wrong("its %d puzzles with %d states are not what its distances add up to: %d with %d", in.Puzzles, in.PuzzleStates, puzzles, states)
	}
	if s.Totals.OfRecords, err = readDigest(in.OfRecords); err == nil && !s.OfRecordsAlone {
		s.Totals.Digest, err = readDigest(in.Digest)
	}
	if err != nil {
		return nil, wrong("%v", err)
	}
	s.Complete = true
	return s, nil
}

func readDigest(text string) (digest.Digest, error) {
	b, err := hex.DecodeString(text)
	if err != nil {
		return digest.Digest{}, fmt.Errorf("digest %q: %w", text, err)
	}
	return digest.FromBytes(b)
}

// add adds the summary of other parts.
func (s *sweepSummary) add(other *sweepSummary) error {
	mine, visits := withoutVisits(s.Rules)
	theirs, others := withoutVisits(other.Rules)
	if mine != theirs {
		return &database.RulesError{Have: theirs, Want: mine}
	}
	part, err := s.Part.And(other.Part)
	if err != nil {
		return err
	}
	if visits != others || s.OfRecordsAlone || other.OfRecordsAlone {
		s.Rules, s.OfRecordsAlone = mine, true
		ofRecords(&s.Totals)
		ofRecords(&other.Totals)
	}
	s.Part = part
	s.Totals.Add(&other.Totals)
	s.UnitsInAll += other.UnitsInAll
	s.Seconds += other.Seconds
	return nil
}

// withoutVisits returns rules without the line that says what is left out, and that
// line.
func withoutVisits(rules string) (rest, visits string) {
	var b strings.Builder
	for line := range strings.Lines(rules) {
		if strings.HasPrefix(line, "visits: ") {
			visits = line
		} else {
			b.WriteString(line)
		}
	}
	return b.String(), visits
}

// visitOtherwise reports whether rules differ only in what they leave out, as those of another
// version of the program do.
func visitOtherwise(e *database.RulesError) bool {
	have, visits := withoutVisits(e.Have)
	want, others := withoutVisits(e.Want)
	return have == want && visits != "" && others != ""
}

// ofRecords leaves only the counts that do not depend on what was visited.
func ofRecords(t *sweep.Totals) {
	kept := sweep.Totals{Units: t.Units, Puzzles: t.Puzzles, PuzzleStates: t.PuzzleStates, Records: t.Records, OfRecords: t.OfRecords}
	for i, d := range t.Distances {
		if d.Puzzles > 0 {
			*kept.At(i) = sweep.DistanceTotals{Puzzles: d.Puzzles, PuzzleStates: d.PuzzleStates}
		}
	}
	*t = kept
}
