package main

import (
	"fmt"
	"math/bits"
	"os/exec"
	"regexp"
	"slices"
	"strconv"

	"github.com/everystate/everystate/tools/peers/models"
)

// A tool is a way for a program other than Everystate to explore a space.
type tool struct {
	name    string
	kind    *kind
	flags   []string // of the compiler, or of Rumur
	args    func(states int64) []string
	comment string
}

// A kind is a program, with what the ways to run it share.
type kind struct {
	needs   []string // programs; the first one reports the version
	install string
	version []string
	source  string // the name of the model's file
	text    func(m models.Model, name string) string

	// compile returns the commands that make ./explore from the model, given the
	// number of states and the bytes of memory.
	compile func(flags []string, states, memory int64) [][]string

	// said finds the number of states in the program's output, clean what it prints
	// if it has found them all, cut what it prints if it has not.
	said, clean, cut *regexp.Regexp
}

// comparedWith returns the tools, in the order of the table.
//
// Spin cannot tell how many states there will be. Someone who runs a model twice
// knows, and sets the depth of the stack and the number of slots accordingly, as is
// done here. The same holds for Rumur's set.
func comparedWith() []tool {
	spin := &kind{
		needs: []string{"spin", "gcc"}, install: "apt-get install spin gcc", version: []string{"-V"},
		source: "model.pml", text: models.Model.Promela,
		compile: func(flags []string, _, memory int64) [][]string {
			limit := fmt.Sprintf("-DMEMLIM=%d", memory>>20)
			return [][]string{{"spin", "-a", "model.pml"}, slices.Concat([]string{"gcc", "-w", limit}, flags, []string{"-o", "explore", "pan.c"})}
		},
		said:  regexp.MustCompile(`(?m)^\s*(\S+) states, stored`),
		clean: regexp.MustCompile(`errors: 0`),
		cut:   regexp.MustCompile(`max search depth too small|Search not completed|out of memory|memory limit|hash ?table.* full|resize`),
	}
	rumur := &kind{
		needs: []string{"rumur", "gcc"}, install: "apt-get install rumur gcc", version: []string{"--version"},
		source: "model.m", text: models.Model.Murphi,
		compile: func(flags []string, states, _ int64) [][]string {
			return [][]string{
				slices.Concat([]string{"rumur", "--output", "model.c", "--set-capacity", strconv.FormatInt(max(8<<20, rumurSlotBytes*states), 10)}, flags, []string{"model.m"}),
				{"gcc", "-w", "-std=c11", "-O3", "-march=native", "-mcx16", "-o", "explore", "model.c", "-lpthread", "-latomic"},
			}
		},
		said:  regexp.MustCompile(`(?m)^\s*(\d+) states, \d+ rules fired`),
		clean: regexp.MustCompile(`No error found`),
		cut:   regexp.MustCompile(`(?i)out of memory`),
	}
	pan := []string{"-O2", "-march=native", "-DSAFETY", "-DNOREDUCE", "-DNOFAIR", "-DNOBOUNDCHECK"}
	slots := func(states int64) string { return "-w" + strconv.Itoa(max(16, bits.Len64(uint64(states)))) }
	quiet := []string{"-E", "-n"}
	checker := []string{"--deadlock-detection", "off", "--counterexample-trace", "off", "--symmetry-reduction", "off"}
	return []tool{
		{
			name: "spin", kind: spin, flags: slices.Concat(pan, []string{"-DNOCOMP"}),
			args: func(states int64) []string {
				return append([]string{slots(states), "-m" + strconv.FormatInt(states+spinDepthMore, 10)}, quiet...)
			},
			comment: "depth first, one core",
		},
		{
			name: "spin-bfs", kind: spin, flags: slices.Concat(pan, []string{"-DBFS", "-DNOCOMP"}),
			args:    func(states int64) []string { return append([]string{slots(states)}, quiet...) },
			comment: "breadth first, one core: needs no stack",
		},
		{
			name: "spin-2", kind: spin, flags: slices.Concat(pan, []string{"-DNCORE=2", "-DVMAX=64"}),
			args: func(states int64) []string {
				return append([]string{slots(states), "-m" + strconv.FormatInt(states+spinDepthMore, 10)}, quiet...)
			},
			comment: "depth first, two cores",
		},
		{
			name: "spin-bfs-2", kind: spin, flags: slices.Concat(pan, []string{"-DBFS_PAR"}),
			args:    func(states int64) []string { return append([]string{slots(states), "-u2"}, quiet...) },
			comment: "breadth first, two cores",
		},
		{
			name: "rumur-1", kind: rumur, flags: append([]string{"--threads", "1"}, checker...),
			comment: "one thread",
		},
		{
			name: "rumur", kind: rumur, flags: append([]string{"--threads", "2"}, checker...),
			comment: "two threads",
		},
	}
}

const (
	// spinDepthMore is extra room on Spin's stack: a path is at most as long as there
	// are states, and Spin counts its own first steps as well.
	spinDepthMore = 1000

	// rumurSlotBytes is how much of the set Rumur is given per state.
	rumurSlotBytes = 32
)

func names() []string {
	all := []string{everystate1, everystate2}
	for _, t := range comparedWith() {
		all = append(all, t.name)
	}
	return all
}

func known(name string) bool { return slices.Contains(names(), name) }

// missing returns the first program that a kind needs and the machine lacks.
func (k *kind) missing() string {
	for _, name := range k.needs {
		if _, err := exec.LookPath(name); err != nil {
			return name
		}
	}
	return ""
}

// check compares a tool's output with the true number of states.
func (k *kind) check(out string, states int64) error {
	if cut := k.cut.FindString(out); cut != "" {
		return fmt.Errorf("%w: %s", errUnfinished, cut)
	}
	m := k.said.FindStringSubmatch(out)
	if m == nil || !k.clean.MatchString(out) {
		return fmt.Errorf("it does not print how many states it found:\n%s", out)
	}
	// Spin prints large numbers with eight digits.
	if want := strconv.FormatInt(states, 10); m[1] != want && m[1] != fmt.Sprintf("%.8g", float64(states)) {
		return fmt.Errorf("it found %s states, but Everystate found %s", m[1], want)
	}
	return nil
}
