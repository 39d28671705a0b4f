package shell

import (
	"strconv"

	"github.com/everystate/everystate/internal/quantity"
)

// Size is a number of bytes on the command line.
type Size int64

// String formats the size in the largest unit that divides it.
func (s *Size) String() string {
	n, unit := int64(*s), 0
	if n == 0 {
		return "0"
	}
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for n%1024 == 0 && unit < len(units)-1 {
		n, unit = n/1024, unit+1
	}
	return strconv.FormatInt(n, 10) + units[unit]
}

// Set parses a size.
func (s *Size) Set(text string) error {
	n, err := quantity.ParseSize(text)
	*s = Size(n)
	return err
}

// Type returns the name of the value in help.
func (s *Size) Type() string { return "SIZE" }
