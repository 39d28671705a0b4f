package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/everystate/everystate/cmd/everystate/internal/shell"
)

// manCommand prints the manual for man(1). It is hidden: only the packaging of a
// release needs it.
func manCommand(env *shell.Env) *cobra.Command {
	return &cobra.Command{
		Use:    "man",
		Short:  "Print the manual page for man(1)",
		Hidden: true,
		Args:   shell.Exactly(0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			writeMan(env.Out, cmd.Root(), env.Build.Number)
			return nil
		},
	}
}

// writeMan writes one page for all commands. It has no date, so that a version
// always has the same page.
func writeMan(w io.Writer, root *cobra.Command, version string) {
	fmt.Fprintf(w, ".TH EVERYSTATE 1 \"\" \"%s\" \"User commands\"\n", roff("everystate "+version))
	fmt.Fprintf(w, ".SH NAME\neverystate \\- %s\n", roff(strings.ToLower(root.Short[:1])+root.Short[1:]))
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B everystate\n.I command\n[arguments and flags]\n")
	fmt.Fprintf(w, ".SH DESCRIPTION\n%s", paragraphs(root.Long))
	fmt.Fprintf(w, ".SH COMMANDS\n")
	manCommands(w, root)
	fmt.Fprintf(w, ".SH EXIT STATUS\n.nf\n%s.fi\n", roff(strings.TrimPrefix(rootCodes, "\nExit codes:\n")))
	fmt.Fprintf(w, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(root.Example))
}

func manCommands(w io.Writer, parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		if c.Runnable() || c.Long != "" {
			fmt.Fprintf(w, ".SS %s\n%s", roff(c.UseLine()), paragraphs(firstText(c.Long, c.Short)))
			c.LocalFlags().VisitAll(func(f *pflag.Flag) {
				if f.Hidden || f.Name == "help" {
					return
				}
				value, usage := pflag.UnquoteUsage(f)
				fmt.Fprintf(w, ".TP\n.B \\-\\-%s %s\n%s\n", roff(f.Name), roff(value), roff(usage))
			})
			if c.Example != "" {
				fmt.Fprintf(w, ".PP\n.nf\n%s\n.fi\n", roff(c.Example))
			}
		}
		manCommands(w, c)
	}
}

func firstText(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// paragraphs formats a text whose paragraphs are separated by empty lines; indented
// ones stay as they are.
func paragraphs(text string) string {
	var b strings.Builder
	for p := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(p, "  ") {
			fmt.Fprintf(&b, ".PP\n.nf\n%s\n.fi\n", roff(p))
		} else {
			fmt.Fprintf(&b, ".PP\n%s\n", roff(p))
		}
	}
	return b.String()
}

// roff escapes what roff would interpret.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
