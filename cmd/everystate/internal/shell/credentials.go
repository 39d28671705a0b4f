package shell

import (
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/grpc"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/internal/security"
)

// Environment variables that replace flags about credentials.
const (
	CAVar         = "EVERYSTATE_TLS_CA"
	CertVar       = "EVERYSTATE_TLS_CERT"
	KeyVar        = "EVERYSTATE_TLS_KEY"
	ServerNameVar = "EVERYSTATE_TLS_SERVER_NAME"
	TokenFileVar  = "EVERYSTATE_TOKEN_FILE"
	TokenVar      = "EVERYSTATE_TOKEN"
)

// Credentials say how a command that calls a coordinator authenticates itself, and whom
// it trusts. As any command may call one, all commands have these flags; they are
// described once, in `everystate help credentials`.
type Credentials struct {
	ca, cert, key, serverName, tokenFile string
	insecure                             bool

	set *pflag.FlagSet
}

// Flags adds the flags, hidden: help credentials explains them.
func (f *Credentials) Flags(flags *pflag.FlagSet) {
	f.set = flags
	flags.StringVar(&f.ca, "tls-ca", "", "trust servers whose certificate an authority in `FILE` signed")
	flags.StringVar(&f.cert, "tls-cert", "", "show the certificate in `FILE`")
	flags.StringVar(&f.key, "tls-key", "", "key of the certificate, in `FILE`")
	flags.StringVar(&f.serverName, "tls-server-name", "", "expect the server's certificate to be for `NAME`")
	flags.StringVar(&f.tokenFile, "token-file", "", "send the first token in `FILE`")
	flags.BoolVar(&f.insecure, "insecure", false, "send the token even without encryption")
	for _, name := range []string{"tls-ca", "tls-cert", "tls-key", "tls-server-name", "token-file", "insecure"} {
		flags.Lookup(name).Hidden = true
	}
}

// or returns the value of a flag, or of the environment variable if the flag is not
// given.
func (f *Credentials) or(flag, value, environment string) string {
	if f.set.Changed(flag) {
		return value
	}
	return os.Getenv(environment)
}

// Options returns what the flags and the environment say.
func (f *Credentials) Options() (security.ClientOptions, error) {
	o := security.ClientOptions{
		CAFile:     f.or("tls-ca", f.ca, CAVar),
		CertFile:   f.or("tls-cert", f.cert, CertVar),
		KeyFile:    f.or("tls-key", f.key, KeyVar),
		ServerName: f.or("tls-server-name", f.serverName, ServerNameVar),
		TokenFile:  f.or("token-file", f.tokenFile, TokenFileVar),
		Token:      os.Getenv(TokenVar),
		Insecure:   f.insecure,
	}
	switch {
	case (o.CertFile == "") != (o.KeyFile == ""):
		return o, exit.Errorf(exit.Usage, "--tls-cert FILE and --tls-key FILE go together (or %s and %s in the environment)", CertVar, KeyVar)
	case o.CertFile != "" && o.CAFile == "":
		return o, exit.Errorf(exit.Usage, "--tls-cert FILE also needs --tls-ca FILE (or %s in the environment)", CAVar)
	}
	return o, nil
}

// DialOptions returns how a coordinator is called.
func DialOptions(env *Env) ([]grpc.DialOption, error) {
	o, err := env.Credentials.Options()
	if err != nil {
		return nil, err
	}
	opts, err := security.Dial(o)
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "%v", err)
	}
	for _, file := range security.Exposed(o.KeyFile, o.TokenFile) {
		if !slices.Contains(env.warned, file) {
			env.warned = append(env.warned, file)
			env.Complain("everyone on this machine can read " + file + ": chmod 600 " + Quote(file))
		}
	}
	return opts, nil
}

// CredentialsTopic is `everystate help credentials`.
func CredentialsTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "credentials",
		Short: "How commands authenticate to a coordinator",
		Long: `Commands that call a coordinator take these flags; environment variables replace
flags that are not given:

  --tls-ca FILE           ` + CAVar + `           authorities that sign its certificate, or
                                                      "system" for those of this machine; encrypts
                                                      connections
  --tls-cert FILE         ` + CertVar + `         certificate to show
  --tls-key FILE          ` + KeyVar + `          its key
  --tls-server-name NAME  ` + ServerNameVar + `  the name in the coordinator's certificate,
                                                      if it differs from the host
  --token-file FILE       ` + TokenFileVar + `       file whose first token is sent
                          ` + TokenVar + `            the token itself
  --insecure                                          send the token unencrypted, even to another
                                                      machine

docs/SECURITY.md describes the roles, certificates and tokens; ` + "`everystate certs`" + ` makes a set for trials.`,
	}
}
