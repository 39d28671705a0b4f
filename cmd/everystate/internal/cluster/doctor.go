package cluster

import (
	"cmp"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/checkup"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/platform/memory"
	"github.com/everystate/everystate/internal/security"
)

// doctor holds the flags of the command.
type doctor struct {
	at        runs.CoordinatorFlag
	data      string
	listen    []string
	memory    shell.Size
	bucket    string
	processes []string
	json      bool
}

// DoctorCommand is `everystate doctor`.
func DoctorCommand(env *shell.Env) *cobra.Command {
	var f doctor
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check whether this machine can run a coordinator or a worker",
		Long: `Doctor checks the processor, memory, open-file limit and clock of this machine and,
depending on the flags, the disk, ports, a bucket, certificates and running
processes. It suggests fixes and leaves nothing behind.

It exits with 0 if everything will work, even with warnings, and with 1 otherwise.
It measures the disk by writing 128 MiB to it.`,
		Example: `  everystate doctor --data /var/lib/everystate --memory 24G --listen 10.0.0.2:7001 --coordinator 10.0.0.1:7000
  everystate doctor --bucket 's3://states?region=eu-central-1'
  everystate doctor --processes 10.0.0.1:9100,10.0.0.2:9100,10.0.0.3:9100`,
		Args: shell.Exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(env, cmd, &f) },
	}
	flags := cmd.Flags()
	f.at.Flags(flags)
	flags.Var((*shell.Directory)(&f.data), "data", "check the disk that holds `DIR`")
	flags.StringSliceVar(&f.listen, "listen", nil, "check whether a process can listen at `A,B`")
	flags.Var(&f.memory, "memory", "intended memory budget, a `SIZE`")
	flags.StringVar(&f.bucket, "bucket", "", "check whether the bucket at `URL` supports conditional writes")
	flags.StringSliceVar(&f.processes, "processes", nil, "ask the processes whose --metrics are at `A,B` for their versions")
	flags.BoolVar(&f.json, "json", false, "print one JSON object per finding")
	return cmd
}

func runDoctor(env *shell.Env, cmd *cobra.Command, f *doctor) error {
	for _, address := range append(f.listen, f.processes...) {
		if !runs.IsAddress(address) {
			return exit.Usagef(cmd, "%q: must be HOST:PORT", address)
		}
	}
	if err := (engine.Options{MemoryBytes: int64(f.memory)}).Validate(); err != nil {
		return exit.Usagef(cmd, "%v", err)
	}
	if f.bucket != "" && !runs.IsBucketURL(f.bucket) {
		return exit.Usagef(cmd, "--bucket %q: must be file:///DIR or s3://BUCKET/PREFIX", f.bucket)
	}
	o, err := env.Credentials.Options()
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	code := exit.Complete
	// Each finding is printed at once: some checks wait for others to answer.
	tell := func(findings ...checkup.Finding) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, found := range findings {
			if found.Verdict == checkup.Fail {
				code = exit.Failed
			}
			if err := printFinding(env, found, f.json); err != nil {
				return err
			}
		}
		return env.Out.Flush()
	}
	limit, from := memory.Limit("/")
	err = tell(checkup.Processor(), checkup.Memory(int64(f.memory), limit, from), checkup.GoMemoryLimit(), checkup.Files(checkup.FileLimit()), checkup.Clock())
	if f.data != "" {
		err = cmp.Or(err, tell(checkup.Space(f.data)), tell(checkup.Speed(f.data)))
	}
	for _, address := range f.listen {
		err = cmp.Or(err, tell(checkup.Port(ctx, address)))
	}
	err = cmp.Or(err, tell(checkup.TLS(o.CertFile, o.KeyFile, o.CAFile, security.Exposed(o.KeyFile, o.TokenFile), time.Now())...))
	if f.at.Addr != "" || os.Getenv(runs.CoordinatorVar) != "" {
		err = cmp.Or(err, tell(checkCoordinator(env, cmd, f)))
	}
	if f.bucket != "" {
		err = cmp.Or(err, tell(checkup.Bucket(ctx, f.bucket)))
	}
	err = cmp.Or(err, tell(checkup.Versions(ctx, f.processes, checkup.Version(env.Build.Number, env.Build.Commit))...))
	return cmp.Or(err, exit.Reported(code))
}

func printFinding(env *shell.Env, found checkup.Finding, asJSON bool) error {
	if asJSON {
		return env.JSON(found)
	}
	fmt.Fprintf(env.Out, "%-7s  %-11s  %s\n", found.Verdict, found.Check, found.Found)
	if found.Change != "" {
		fmt.Fprintf(env.Out, "%-7s  %-11s  -> %s\n", "", "", found.Change)
	}
	return nil
}

func checkCoordinator(env *shell.Env, cmd *cobra.Command, f *doctor) checkup.Finding {
	found := checkup.Finding{Check: "coordinator", Verdict: checkup.OK}
	addr, err := f.at.Address(cmd)
	if err == nil {
		err = checkHealth(cmd.Context(), env, addr, 5*time.Second)
	}
	if err != nil {
		found.Verdict, found.Found = checkup.Fail, err.Error()
		found.Change = "start it, open its port, or name another with --coordinator; with TLS, name the authority (help credentials)"
		return found
	}
	found.Found = addr + " answers"
	return found
}
