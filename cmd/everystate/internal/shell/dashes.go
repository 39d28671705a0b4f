package shell

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// dashed precedes an argument that begins with a hyphen and is not a flag, until the
// flags have been parsed. No argument of a process can contain this byte.
const dashed = "\x00"

// KeepDashed marks the arguments of a command line that begin with a hyphen and cannot
// be flags, such as a board whose first cell is empty, and makes the commands remove the
// marks. Arguments that may be flags are left unchanged: users put `--` before them.
func KeepDashed(root *cobra.Command, args []string) []string {
	of, _, err := root.Find(args)
	if err != nil || of == root { // such as the commands of shell completion
		return args
	}
	marked := make([]string, 0, len(args))
	value := false // of the flag before
	for i, arg := range args {
		switch {
		case value || !strings.HasPrefix(arg, "-") || arg == "-":
			value = false
		case arg == "--":
			marked = append(marked, args[i:]...)
			unmark(of)
			return marked
		case noFlag(of, arg):
			arg = dashed + arg
		default:
			value = takesValue(of, arg)
		}
		marked = append(marked, arg)
	}
	unmark(of)
	return marked
}

// noFlag reports whether an argument that begins with a hyphen is a text: there is no
// such flag, and it has cells or blanks where a mistyped flag has letters.
func noFlag(of *cobra.Command, arg string) bool {
	name := strings.TrimLeft(arg, "-")
	letter := name != "" && (name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z')
	switch dashes := len(arg) - len(name); {
	case dashes == 1 && letter:
		return strings.ContainsAny(name, " /\n") && shorthand(of, name[:1]) == nil
	case dashes == 2 && letter:
		return !strings.Contains(name, "=") && (strings.Contains(name, "\n") || strings.Contains(name, " / "))
	}
	return true
}

// takesValue reports whether a flag is followed by its value.
func takesValue(of *cobra.Command, arg string) bool {
	name, long := strings.CutPrefix(arg, "--")
	if long {
		f := of.Flag(name)
		return f != nil && f.NoOptDefVal == ""
	}
	for i := 1; i < len(arg); i++ { // one-letter flags, of which the last may have a value
		f := shorthand(of, arg[i:i+1])
		if f == nil || f.NoOptDefVal == "" {
			return f != nil && i == len(arg)-1
		}
	}
	return false
}

// shorthand returns a one-letter flag.
func shorthand(of *cobra.Command, letter string) *pflag.Flag {
	if f := of.Flags().ShorthandLookup(letter); f != nil {
		return f
	}
	return of.InheritedFlags().ShorthandLookup(letter)
}

// unmark makes a command remove the marks before it looks at its arguments.
func unmark(of *cobra.Command) {
	check, run := of.Args, of.RunE
	if check != nil {
		of.Args = func(cmd *cobra.Command, args []string) error { return check(cmd, plain(args)) }
	}
	if run != nil {
		of.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd, plain(args)) }
	}
}

// plain returns the arguments without marks.
func plain(args []string) []string {
	list := make([]string, 0, len(args))
	for _, arg := range args {
		list = append(list, strings.TrimPrefix(arg, dashed))
	}
	return list
}
