package main

import (
	"cmp"
	"log/slog"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/grpc"

	"github.com/everystate/everystate/internal/security"
)

// The environment in place of flags about credentials.
const (
	caVar         = "EVERYSTATE_TLS_CA"
	certVar       = "EVERYSTATE_TLS_CERT"
	keyVar        = "EVERYSTATE_TLS_KEY"
	serverNameVar = "EVERYSTATE_TLS_SERVER_NAME"
	tokenFileVar  = "EVERYSTATE_TOKEN_FILE"
	tokenVar      = "EVERYSTATE_TOKEN"
)

// credentialFlags say how a command that calls a coordinator proves who it is,
// and whom it trusts. Any command may, so that they are flags of all, and are
// described once: `everystate help credentials`.
type credentialFlags struct {
	ca, cert, key, serverName, tokenFile string
	insecure                             bool

	set *pflag.FlagSet
}

func (f *credentialFlags) flags(flags *pflag.FlagSet) {
	f.set = flags
	flags.StringVar(&f.ca, "tls-ca", "", "trust servers that `FILE` vouches for")
	flags.StringVar(&f.cert, "tls-cert", "", "show the certificate in `FILE`")
	flags.StringVar(&f.key, "tls-key", "", "the key of the certificate is in `FILE`")
	flags.StringVar(&f.serverName, "tls-server-name", "", "the server's certificate is for `NAME`")
	flags.StringVar(&f.tokenFile, "token-file", "", "send the first token in `FILE`")
	flags.BoolVar(&f.insecure, "insecure", false, "send the token without encryption, too")
	for _, name := range []string{"tls-ca", "tls-cert", "tls-key", "tls-server-name", "token-file", "insecure"} {
		flags.Lookup(name).Hidden = true
	}
}

// or returns the value of a flag, or of the environment if it is not given.
func (f *credentialFlags) or(flag, value, environment string) string {
	if f.set.Changed(flag) {
		return value
	}
	return os.Getenv(environment)
}

// options returns what the flags and the environment say.
func (f *credentialFlags) options() (security.ClientOptions, error) {
	o := security.ClientOptions{
		CAFile:     f.or("tls-ca", f.ca, caVar),
		CertFile:   f.or("tls-cert", f.cert, certVar),
		KeyFile:    f.or("tls-key", f.key, keyVar),
		ServerName: f.or("tls-server-name", f.serverName, serverNameVar),
		TokenFile:  f.or("token-file", f.tokenFile, tokenFileVar),
		Token:      os.Getenv(tokenVar),
		Insecure:   f.insecure,
	}
	switch {
	case (o.CertFile == "") != (o.KeyFile == ""):
		return o, failf(exitUsage, "--tls-cert FILE and --tls-key FILE go together (or %s and %s in the environment)", certVar, keyVar)
	case o.CertFile != "" && o.CAFile == "":
		return o, failf(exitUsage, "--tls-cert FILE needs --tls-ca FILE as well (or %s in the environment)", caVar)
	}
	return o, nil
}

// dialOptions returns how a coordinator is called.
func dialOptions(env *app) ([]grpc.DialOption, error) {
	o, err := env.credentials.options()
	if err != nil {
		return nil, err
	}
	opts, err := security.Dial(o)
	if err != nil {
		return nil, failf(exitUsage, "%v", err)
	}
	for _, file := range security.Exposed(o.KeyFile, o.TokenFile) {
		if !slices.Contains(env.warned, file) {
			env.warned = append(env.warned, file)
			env.complain("everybody on this machine may read " + file + ": chmod 600 " + quote(file))
		}
	}
	return opts, nil
}

func credentialsTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "credentials",
		Short: "How commands prove who they are to a coordinator",
		Long: `Commands that call a coordinator take these flags, or the environment where a
flag is not given:

  --tls-ca FILE           ` + caVar + `           authorities that vouch for the coordinator,
                                                      "system" for those of this machine; with it
                                                      connections are encrypted
  --tls-cert FILE         ` + certVar + `         certificate to show
  --tls-key FILE          ` + keyVar + `          its key
  --tls-server-name NAME  ` + serverNameVar + `  what the coordinator's certificate is for, if
                                                      it is not the host that is called
  --token-file FILE       ` + tokenFileVar + `       file whose first token is sent
                          ` + tokenVar + `            the token itself
  --insecure                                          send the token without encryption, even to
                                                      another machine

What a viewer and an operator may do, and how to make certificates and tokens, is
in docs/SECURITY.md; ` + "`everystate certs`" + ` makes a set to try it with.`,
	}
}

// serving holds the flags of the commands that listen.
type serving struct {
	observing

	listen, data string
	insecure     bool

	cert, key, tokenFile string
	// callerCA vouches for callers; callerFlag is its flag.
	callerCA, callerFlag string
}

func (s *serving) listenFlags(flags *pflag.FlagSet, listen, data string) {
	flags.StringVar(&s.listen, "listen", listen, "listen at `ADDR`, HOST:PORT")
	flags.StringVar(&s.data, "data", "", data)
	flags.BoolVar(&s.insecure, "insecure", false, "let other machines in without encryption, or without asking who they are")
}

// securityFlags are those that clients have as well, and mean more here.
func (s *serving) securityFlags(flags *pflag.FlagSet, cert, tokens string) {
	flags.StringVar(&s.cert, "tls-cert", "", cert)
	flags.StringVar(&s.key, "tls-key", "", "the key of the certificate is in `FILE`")
	flags.StringVar(&s.tokenFile, "token-file", "", tokens)
}

// newServer reads the files about whom to let in.
func (s *serving) newServer(log *slog.Logger) (*security.Server, error) {
	ca := s.callerCA
	if s.callerFlag == workerCAFlag && ca == security.SystemCA {
		ca = "" // these vouch for servers only
	}
	server, err := security.NewServer(security.ServerOptions{
		CertFile: s.cert, KeyFile: s.key, ClientCAFile: ca, TokenFile: s.tokenFile, Log: log,
	})
	if err != nil {
		return nil, failf(exitUsage, "%v", err)
	}
	for _, file := range security.Exposed(s.key, s.tokenFile) {
		log.Warn("everybody on this machine may read a secret", "file", file)
	}
	return server, nil
}

// callers describes who is let in, for the log.
func (s *serving) callers() string {
	switch certs := s.callerCA != ""; {
	case certs && s.tokenFile != "":
		return "with a certificate or a token"
	case certs:
		return "with a certificate"
	case s.tokenFile != "":
		return "with a token"
	}
	return "anybody"
}

// workerDial returns how a coordinator calls workers.
func (s *serving) workerDial(ca string, log *slog.Logger) ([]grpc.DialOption, error) {
	o := security.ClientOptions{
		CertFile: s.cert, KeyFile: s.key, Servers: []security.Role{security.Worker},
		TokenFile: s.tokenFile, TokenRole: security.Worker, Insecure: s.insecure, Relay: true, Log: log,
	}
	if s.cert != "" {
		o.CAFile = cmp.Or(ca, s.callerCA, security.SystemCA)
	}
	opts, err := security.Dial(o)
	if err != nil {
		return nil, failf(exitUsage, "%v", err)
	}
	return opts, nil
}

// clusterDial returns how a worker calls the coordinator and other workers.
func (s *serving) clusterDial(log *slog.Logger) ([]grpc.DialOption, error) {
	opts, err := security.Dial(security.ClientOptions{
		CAFile: s.callerCA, CertFile: s.cert, KeyFile: s.key, Servers: []security.Role{security.Coordinator, security.Worker},
		TokenFile: s.tokenFile, TokenRole: security.Worker, Insecure: s.insecure, Log: log,
	})
	if err != nil {
		return nil, failf(exitUsage, "%v", err)
	}
	return opts, nil
}
