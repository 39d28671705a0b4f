package bucket

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go/logging"
)

// s3Config returns the configuration of the AWS tools, as the environment and their
// files have it, with what the parameters of a URL change in it.
func s3Config(ctx context.Context, q url.Values) (aws.Config, error) {
	role := q.Get("role")
	if q.Has("role") && !strings.HasPrefix(role, "arn:") {
		return aws.Config{}, fmt.Errorf("role must be an ARN, which begins with arn:, not %q", role)
	}
	limiter := retry.RateLimiter(ratelimit.None)
	var opts []func(*config.LoadOptions) error
	for name := range q {
		var opt config.LoadOptionsFunc
		var err error
		switch value := q.Get(name); name {
		case "rate_limiter_capacity":
			var tokens int64
			if tokens, err = strconv.ParseInt(value, 10, 32); err != nil {
				err = fmt.Errorf("%s must be a number of tokens, not %q", name, value)
			}
			if tokens > 0 {
				limiter = ratelimit.NewTokenRateLimit(uint(tokens))
			}
		case "role", "endpoint":
		case "hostname_immutable", "awssdk": // of no effect any more
		default:
			opt, err = s3Option(name, value)
		}
		if err != nil {
			return aws.Config{}, err
		}
		if opt != nil {
			opts = append(opts, opt)
		}
	}
	opts = append(opts, config.WithRetryer(func() aws.Retryer {
		return retry.NewStandard(func(o *retry.StandardOptions) { o.RateLimiter = limiter })
	}), config.WithLogger(logging.Nop{})) // of the search for credentials, too
	cfg, err := config.LoadDefaultConfig(ctx, opts...)
	if none := (config.SharedConfigProfileNotExistError{}); errors.As(err, &none) {
		return aws.Config{}, fmt.Errorf("AWS profile %q does not exist: AWS_PROFILE, or profile=... in the URL, must name one of the AWS configuration files", none.Profile)
	}
	if err != nil {
		return aws.Config{}, err
	}
	if role != "" {
		if cfg.Region == "" {
			return aws.Config{}, errors.New("no region to assume the role in: give region=..., or AWS_REGION in the environment")
		}
		cfg.Credentials = aws.NewCredentialsCache(stscreds.NewAssumeRoleProvider(sts.NewFromConfig(cfg), role))
	}
	env, err := config.NewEnvConfig()
	if err != nil {
		return aws.Config{}, err
	}
	cfg.RetryMaxAttempts = env.RetryMaxAttempts // AWS_MAX_ATTEMPTS, which does not reach a retryer of one's own
	cfg.HTTPClient = awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.ResponseHeaderTimeout = responseWait
		t.MaxIdleConnsPerHost = 2 * requestsAtOnceMax
	})
	return cfg, nil
}

// s3Option returns what one parameter changes, or nil if that is nothing.
func s3Option(name, value string) (config.LoadOptionsFunc, error) {
	switch name {
	case "region":
		return config.WithRegion(value), nil
	case "profile":
		return config.WithSharedConfigProfile(value), nil
	case "request_checksum_calculation":
		when, err := checksums(name, value, aws.RequestChecksumCalculationWhenSupported, aws.RequestChecksumCalculationWhenRequired)
		return config.WithRequestChecksumCalculation(when), err
	case "response_checksum_validation":
		when, err := checksums(name, value, aws.ResponseChecksumValidationWhenSupported, aws.ResponseChecksumValidationWhenRequired)
		return config.WithResponseChecksumValidation(when), err
	case "anonymous", "dualstack", "fips":
	default:
		return nil, fmt.Errorf("unknown query parameter %q", name)
	}
	on, err := strconv.ParseBool(value)
	switch {
	case err != nil:
		return nil, notFlag(name, value)
	case !on:
		return nil, nil //nolint:nilnil // nothing is changed
	case name == "anonymous":
		return config.WithCredentialsProvider(aws.AnonymousCredentials{}), nil
	case name == "dualstack":
		return config.WithUseDualStackEndpoint(aws.DualStackEndpointStateEnabled), nil
	}
	return config.WithUseFIPSEndpoint(aws.FIPSEndpointStateEnabled), nil
}

// checksums returns which requests have checksums: all that support them, or those
// alone that require them.
func checksums[When any](name, value string, supported, required When) (When, error) {
	switch strings.ToLower(value) {
	case "when_supported":
		return supported, nil
	case "when_required":
		return required, nil
	}
	return supported, fmt.Errorf("%s must be when_supported or when_required, not %q", name, value)
}

func notFlag(name, value string) error {
	return fmt.Errorf("%s must be true or false, not %q", name, value)
}
