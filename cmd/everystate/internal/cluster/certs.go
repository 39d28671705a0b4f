package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/security"
)

// certs holds the flags of the command.
type certs struct {
	hosts []string
	days  int
	force bool
	json  bool
}

// daysMax keeps the expiry of a certificate within what its format can represent.
const daysMax = 36_500

// CertsCommand is `everystate certs`.
func CertsCommand(env *shell.Env) *cobra.Command {
	var f certs
	cmd := &cobra.Command{
		Use:   "certs DIR",
		Short: "Make certificates for trying out mutual TLS",
		Long: `Certs makes a certificate authority in DIR and four certificates that it signs: for
a coordinator, a worker, an operator and a viewer. Those of the coordinator and the
worker are valid for this machine and for --hosts. It then prints the commands that
use them.

They are for trials: anyone who has ca.key can make more (docs/SECURITY.md).`,
		Example: `  everystate certs certs
  everystate certs certs --hosts 10.0.0.1,10.0.0.2,worker.example.org --days 30`,
		Args: shell.Exactly(1, "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error { return runCerts(env, cmd, &f, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.hosts, "hosts", nil, "also valid for the machines `A,B`, names or addresses")
	shell.IntVar(flags, &f.days, "days", 365, "valid for `N` days")
	flags.BoolVar(&f.force, "force", false, "replace what is there; certificates of the old authority become useless")
	flags.BoolVar(&f.json, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}

func runCerts(env *shell.Env, cmd *cobra.Command, f *certs, dir string) error {
	if f.days < 1 || f.days > daysMax {
		return exit.Usagef(cmd, "--days %d: must be 1 to %d", f.days, daysMax)
	}
	for _, host := range f.hosts {
		if !isHost(host) {
			return exit.Usagef(cmd, "--hosts %q: must be names and addresses, without ports", host)
		}
	}
	if dir == "" {
		return exit.Usagef(cmd, "DIR is empty: name a directory, which need not exist")
	}
	if err := new(shell.Directory).Set(dir); err != nil {
		return exit.Usagef(cmd, "%v", err)
	}
	now := time.Now()
	replaced, err := security.WriteSet(dir, security.SetOptions{Hosts: f.hosts, Days: f.days, Now: now, Replace: f.force})
	path := new(fs.PathError)
	switch {
	case errors.Is(err, fs.ErrExist) && errors.As(err, &path):
		return exit.Usagef(cmd, "%s already exists: name another directory, or replace it with --force", path.Path)
	case errors.As(err, &path):
		return exit.Errorf(exit.Failed, "%s: %v: name a directory that can be created and written to", path.Path, path.Err)
	case err != nil:
		return exit.Errorf(exit.Failed, "%v", err)
	}
	if len(replaced) > 0 {
		for i := range replaced {
			replaced[i] = filepath.Base(replaced[i])
		}
		env.Complain("replaced in " + dir + ": " + strings.Join(replaced, ", "))
	}
	until := now.AddDate(0, 0, f.days).UTC()
	if f.json {
		return env.JSON(shell.WrittenJSON{Files: security.SetFiles(dir), Expires: until.Format(time.RFC3339)})
	}
	printCerts(env, dir, until)
	return nil
}

// isHost reports whether a certificate can name a host: an address, or a name that may
// begin with "*.".
func isHost(text string) bool {
	return regexp.MustCompile(`^(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$|^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$`).MatchString(text)
}

func printCerts(env *shell.Env, dir string, until time.Time) {
	file := func(name, ext string) string { return filepath.Join(dir, name+ext) }
	fmt.Fprintf(env.Out, "%s holds an authority and four certificates, valid until %s\n\n", dir, until.Format(time.DateOnly))
	for _, line := range [][2]string{
		{"ca.crt", "the authority that everyone trusts"},
		{"ca.key", "its key: anyone who has it can admit anyone"},
		{"coordinator.crt, .key", "for the coordinator"},
		{"worker.crt, .key", "for workers"},
		{"operator.crt, .key", "for those who submit and control runs"},
		{"viewer.crt, .key", "for those who only watch"},
	} {
		fmt.Fprintf(env.Out, "%-21s  %s\n", line[0], line[1])
	}
	pair := func(name string) []string {
		return []string{"--tls-cert", file(name, security.CertExt), "--tls-key", file(name, security.KeyExt)}
	}
	ca := file(security.CAName, security.CertExt)
	fmt.Fprintf(env.Out, "\ntry it with\n\n")
	for _, args := range [][]string{
		append([]string{"coordinator", "--data", "c", "--client-ca", ca}, pair("coordinator")...),
		append([]string{"worker", "--coordinator", "127.0.0.1:7000", "--data", "w", "--memory", "1G", "--tls-ca", ca}, pair("worker")...),
	} {
		fmt.Fprintf(env.Out, "%s &\n", env.Command(args...))
	}
	fmt.Fprintf(env.Out, "export %s=%s %s=%s %s=%s\n", shell.CAVar, shell.Quote(ca),
		shell.CertVar, shell.Quote(file("operator", security.CertExt)), shell.KeyVar, shell.Quote(file("operator", security.KeyExt)))
	for _, args := range [][]string{
		{"submit", "AA.B / ...B / .... / ....", "--name", "try", "--coordinator", "127.0.0.1:7000", "--wait"},
		{"hardest", "127.0.0.1:7000/try"},
	} {
		fmt.Fprintln(env.Out, env.Command(args...))
	}
}
