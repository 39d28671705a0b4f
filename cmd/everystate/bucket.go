package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/checkpoint"
)

// isBucketURL reports whether an argument names something in a bucket.
func isBucketURL(arg string) bool {
	return strings.HasPrefix(arg, "file://") || strings.HasPrefix(arg, "s3://")
}

// openBucket opens the bucket of a flag.
func openBucket(cmd *cobra.Command, url string) (*checkpoint.Bucket, error) {
	if !isBucketURL(url) {
		return nil, usagef(cmd, "--bucket %q: must be file:///DIR or s3://BUCKET/PREFIX", url)
	}
	b, err := checkpoint.Open(cmd.Context(), url)
	if err != nil {
		return nil, failf(exitFailed, "%v", err)
	}
	return b, nil
}
