package bucket

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/logging"
	gcaws "gocloud.dev/aws"
	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"
	"gocloud.dev/gcerrors"

	"github.com/everystate/everystate/store/naming"
)

// responseWait bounds the wait for a response to begin after its request was
// sent. A server that assembles a large object takes its time.
const responseWait = 2 * time.Minute

// openS3 opens a bucket of S3 and asks whether it is there. Parameters are those
// of s3blob.URLOpener; region, endpoint, profile and so on are what
// aws.V2ConfigFromURLParams of gocloud.dev says. With an endpoint,
//
//   - use_path_style is true unless it is given: most other servers ask for it;
//   - region is us-east-1 unless it is given, there or in the environment.
//
// A request is sent up to three times, or AWS_MAX_ATTEMPTS, before it fails.
func openS3(ctx context.Context, u *url.URL) (backend, error) {
	prefix, err := s3Prefix(u)
	if err != nil {
		return nil, err
	}
	q := u.Query()
	if err := checkEndpoint(q.Get("endpoint")); err != nil {
		return nil, err
	}
	*u = url.URL{Scheme: "s3", Host: u.Host, Path: prefix, RawQuery: q.Encode()}

	p := s3Params{q: q, custom: q.Has("endpoint")}
	opts, blobOpts := p.client()
	if p.err != nil {
		return nil, p.err
	}
	endpoint := q.Get("endpoint")
	q.Del("endpoint")
	q.Del("hostname_immutable") // of no effect: see use_path_style
	cfg, err := gcaws.V2ConfigFromURLParams(ctx, q)
	if err != nil {
		return nil, err
	}
	if endpoint != "" {
		cfg.BaseEndpoint = aws.String(endpoint)
		if cfg.Region == "" {
			cfg.Region = "us-east-1"
		}
	}
	if cfg.Region == "" {
		return nil, errors.New("no region: give region=..., or AWS_REGION in the environment")
	}
	env, err := config.NewEnvConfig()
	if err != nil {
		return nil, err
	}
	cfg.RetryMaxAttempts = env.RetryMaxAttempts // AWS_MAX_ATTEMPTS, which gocloud.dev passes over
	cfg.Logger = logging.Nop{}
	cfg.HTTPClient = awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.ResponseHeaderTimeout = responseWait
		t.MaxIdleConnsPerHost = 2 * requestsAtOnceMax
	})
	blobOpts.RequestChecksumCalculation = cfg.RequestChecksumCalculation

	bucket, err := s3blob.OpenBucket(ctx, s3.NewFromConfig(cfg, opts), u.Host, blobOpts)
	if err != nil {
		return nil, err
	}
	_, _, err = bucket.ListPage(ctx, blob.FirstPageToken, 1, nil)
	if err != nil {
		if gcerrors.Code(err) == gcerrors.NotFound {
			err = noBucket(err)
		}
		return nil, errors.Join(err, bucket.Close())
	}
	if prefix != "" {
		bucket = blob.PrefixedBucket(bucket, strings.TrimPrefix(prefix, "/")+"/")
	}
	return blobs{bucket: bucket}, nil
}

// s3Prefix returns the path of a URL as /prefix, or nothing.
func s3Prefix(u *url.URL) (string, error) {
	if u.Host == "" || u.Fragment != "" {
		return "", errors.New("an S3 URL is s3://bucket/prefix?parameters")
	}
	prefix := strings.TrimSuffix(u.Path, "/")
	if prefix != "" && path.Clean(prefix) != prefix {
		return "", fmt.Errorf("the prefix %s has empty or dotted parts", prefix)
	}
	for _, part := range strings.Split(prefix, "/")[1:] {
		if err := naming.CheckRun(part); err != nil {
			return "", fmt.Errorf("in the prefix, as if it were a run: %w", err)
		}
	}
	return prefix, nil
}

func checkEndpoint(endpoint string) error {
	if endpoint == "" {
		return nil
	}
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("endpoint must be a URL such as https://host:port")
	case u.User != nil:
		return errors.New("the endpoint's URL holds no credentials: they come from the environment")
	}
	return nil
}

// s3Params takes the parameters out of a query that s3blob.URLOpener adds to those
// of the configuration. That itself is not used: it leaves no place for the
// timeout and the silence of the client.
type s3Params struct {
	q      url.Values
	custom bool // with an endpoint
	err    error
}

func (p *s3Params) take(name string) string {
	v := p.q.Get(name)
	p.q.Del(name)
	return v
}

func (p *s3Params) flag(name string, unset bool) bool {
	v := p.take(name)
	if v == "" {
		return unset
	}
	b, err := strconv.ParseBool(v)
	if err != nil {
		p.err = fmt.Errorf("%s must be true or false, not %q", name, v)
	}
	return b
}

func (p *s3Params) client() (func(*s3.Options), *s3blob.Options) {
	pathStyle := p.flag("use_path_style", p.flag("s3ForcePathStyle", p.custom))
	accelerate := p.flag("accelerate", false)
	noHTTPS := p.flag("disable_https", false)
	opts := &s3blob.Options{KMSEncryptionID: p.take("kmskeyid")}
	if t := p.take("ssetype"); t != "" {
		for _, known := range types.ServerSideEncryption("").Values() {
			if strings.EqualFold(string(known), t) {
				opts.EncryptionType = known
			}
		}
		if opts.EncryptionType == "" {
			p.err = fmt.Errorf("unknown ssetype %q", t)
		}
	}
	return func(o *s3.Options) {
		o.UsePathStyle = pathStyle
		o.UseAccelerate = accelerate
		o.EndpointOptions.DisableHTTPS = noHTTPS
		o.DisableLogOutputChecksumValidationSkipped = true
	}, opts
}
