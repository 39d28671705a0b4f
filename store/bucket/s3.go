package bucket

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	manager "github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/everystate/everystate/store/naming"
)

// responseWait bounds the wait for a response to begin after its request was
// sent. A server that assembles a large object takes its time.
const responseWait = 2 * time.Minute

// openS3 opens a bucket of S3 and asks whether it is there. Its parameters are
//
//	region, profile, role, anonymous           whose requests they are, and to where
//	endpoint, use_path_style, disable_https    another server
//	dualstack, fips, accelerate                other addresses of S3
//	ssetype, kmskeyid                          encryption at rest
//	rate_limiter_capacity                      tokens that retries have, unlimited unless given
//	request_checksum_calculation, response_checksum_validation
//	                                           when_supported or when_required
//
// s3ForcePathStyle is an earlier name of use_path_style; hostname_immutable and
// awssdk are taken and have no effect. With an endpoint,
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
	client := &s3Client{bucket: u.Host}
	if prefix != "" {
		client.prefix = strings.TrimPrefix(prefix, "/") + "/"
	}
	opts := p.apply(client)
	if p.err != nil {
		return nil, p.err
	}
	cfg, err := s3Config(ctx, q)
	if err != nil {
		return nil, err
	}
	if endpoint := q.Get("endpoint"); endpoint != "" {
		cfg.BaseEndpoint = aws.String(endpoint)
		if cfg.Region == "" {
			cfg.Region = "us-east-1"
		}
	}
	if cfg.Region == "" {
		return nil, errors.New("no region: give region=..., or AWS_REGION in the environment")
	}
	client.connect(s3.NewFromConfig(cfg, opts))
	_, err = client.requests.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &client.bucket, MaxKeys: aws.Int32(1)})
	if notFound(err) {
		return nil, noBucket(err)
	}
	if err != nil {
		return nil, err
	}
	return blobs{client}, nil
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

// s3Params takes the parameters out of a query that are not of the configuration.
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
		p.err = notFlag(name, v)
	}
	return b
}

// apply puts what concerns writes into a client, and returns the options of its
// requests.
func (p *s3Params) apply(c *s3Client) func(*s3.Options) {
	pathStyle := p.flag("use_path_style", p.flag("s3ForcePathStyle", p.custom))
	accelerate := p.flag("accelerate", false)
	noHTTPS := p.flag("disable_https", false)
	if id := p.take("kmskeyid"); id != "" {
		c.encryptionKey = aws.String(id)
	}
	if t := p.take("ssetype"); t != "" {
		for _, known := range types.ServerSideEncryption("").Values() {
			if strings.EqualFold(string(known), t) {
				c.encryption = manager.ServerSideEncryption(known)
			}
		}
		if c.encryption == "" {
			p.err = fmt.Errorf("unknown ssetype %q", t)
		}
	}
	return func(o *s3.Options) {
		o.UsePathStyle = pathStyle
		o.UseAccelerate = accelerate
		o.EndpointOptions.DisableHTTPS = noHTTPS
		o.DisableLogOutputChecksumValidationSkipped = true
	}
}
