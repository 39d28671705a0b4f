package cluster

import (
	"cmp"
	"log/slog"

	"github.com/spf13/pflag"
	"google.golang.org/grpc"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/security"
)

// serving holds the flags of the commands that listen.
type serving struct {
	observing

	listen, data string
	insecure     bool

	cert, key, tokenFile string
	// callerCA vouches for callers; callerFlag is the flag that sets it.
	callerCA, callerFlag string
}

func (s *serving) listenFlags(flags *pflag.FlagSet, listen, data string) {
	flags.StringVar(&s.listen, "listen", listen, "listen at `ADDR`, HOST:PORT")
	flags.Var((*shell.Directory)(&s.data), "data", data)
	flags.BoolVar(&s.insecure, "insecure", false, "accept other machines without encryption or without authentication")
}

// securityFlags adds the flags that clients have as well, but that mean more here.
func (s *serving) securityFlags(flags *pflag.FlagSet, cert, tokens string) {
	flags.StringVar(&s.cert, "tls-cert", "", cert)
	flags.StringVar(&s.key, "tls-key", "", "key of the certificate, in `FILE`")
	flags.StringVar(&s.tokenFile, "token-file", "", tokens)
}

// newServer reads the files that decide who is admitted.
func (s *serving) newServer(log *slog.Logger) (*security.Server, error) {
	ca := s.callerCA
	if s.callerFlag == workerCAFlag && ca == security.SystemCA {
		ca = "" // the system's authorities vouch for servers only
	}
	server, err := security.NewServer(security.ServerOptions{
		CertFile: s.cert, KeyFile: s.key, ClientCAFile: ca, TokenFile: s.tokenFile, Log: log,
	})
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "%v", err)
	}
	for _, file := range security.Exposed(s.key, s.tokenFile) {
		log.Warn("everyone on this machine can read a secret", "file", file)
	}
	return server, nil
}

// callers describes who is admitted, for the log.
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

// workerDial returns the options by which a coordinator calls workers.
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
		return nil, exit.Errorf(exit.Usage, "%v", err)
	}
	return opts, nil
}

// clusterDial returns the options by which a worker calls the coordinator and other
// workers.
func (s *serving) clusterDial(log *slog.Logger) ([]grpc.DialOption, error) {
	opts, err := security.Dial(security.ClientOptions{
		CAFile: s.callerCA, CertFile: s.cert, KeyFile: s.key, Servers: []security.Role{security.Coordinator, security.Worker},
		TokenFile: s.tokenFile, TokenRole: security.Worker, Insecure: s.insecure, Log: log,
	})
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "%v", err)
	}
	return opts, nil
}
