package runs

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/everystate/everystate/internal/engine"
)

// workers is a number of workers side by side in one process; 0 until it is given.
type workers int

// WorkersVar adds a flag for a number of workers side by side in one process.
func WorkersVar(flags *pflag.FlagSet, to *int, name, usage string) {
	flags.Var((*workers)(to), name, usage)
}

// String implements pflag.Value.
func (w *workers) String() string { return strconv.Itoa(int(*w)) }

// Set implements pflag.Value.
func (w *workers) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err == nil && (n < 1 || n > engine.WorkersMax) {
		err = fmt.Errorf("must be from 1 to %d", engine.WorkersMax)
	}
	*w = workers(n)
	return err
}

// Type implements pflag.Value.
func (*workers) Type() string { return "int" }
