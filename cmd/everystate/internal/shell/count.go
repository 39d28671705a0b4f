package shell

import (
	"strconv"

	"github.com/spf13/pflag"

	"github.com/everystate/everystate/internal/quantity"
)

// countOf is a number of things on the command line: 1000000, 1,000,000, 1e6 or 1M.
type countOf[T int | int64] struct{ to *T }

// CountVar adds a flag for a number of things.
func CountVar[T int | int64](flags *pflag.FlagSet, to *T, name string, value T, usage string) {
	CountVarP(flags, to, name, "", value, usage)
}

// CountVarP is CountVar for a flag with a short name.
func CountVarP[T int | int64](flags *pflag.FlagSet, to *T, name, short string, value T, usage string) {
	*to = value
	flags.VarP(countOf[T]{to}, name, short, usage)
}

// String implements pflag.Value.
func (c countOf[T]) String() string {
	if c.to == nil {
		return "0"
	}
	return strconv.FormatInt(int64(*c.to), 10)
}

// Set implements pflag.Value.
func (c countOf[T]) Set(text string) error {
	n, err := quantity.ParseCount(text)
	*c.to = T(n)
	return err
}

// Type returns the type name for which help omits a default of 0.
func (c countOf[T]) Type() string { return "int64" }

// A number is an int on the command line, in decimal digits: to pflag, 010 is 8.
type number int

// IntVar adds a flag for a number.
func IntVar(flags *pflag.FlagSet, to *int, name string, value int, usage string) {
	*to = value
	flags.Var((*number)(to), name, usage)
}

// String implements pflag.Value.
func (n *number) String() string { return strconv.Itoa(int(*n)) }

// Set implements pflag.Value.
func (n *number) Set(text string) error {
	v, err := strconv.Atoi(text)
	if err == nil {
		*n = number(v)
	}
	return err
}

// Type implements pflag.Value.
func (*number) Type() string { return "int" }
