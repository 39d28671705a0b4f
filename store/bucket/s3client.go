package bucket

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

const (
	// An object is sent to S3 in parts, and in one request if it is smaller than
	// two of them. A writer of a large object needs up to
	//
	//	16 MiB   what is read before it is clear that the object is large
	//	 8 MiB   a part for each of uploadsAtOnce requests, and one that is filled:
	//	         24 MiB
	//
	// which is 40 MiB, and for a moment some 13 MiB more, as the first 16 MiB grow
	// by being copied. One of a small object needs up to twice its size.
	uploadPartBytes = 8 << 20
	uploadsAtOnce   = 2

	listPageObjects = 1000 // what S3 gives at most
)

// s3Client is what is under a prefix of a bucket of S3. It has to be connected.
type s3Client struct {
	requests *s3.Client
	uploads  *transfermanager.Client
	bucket   string
	prefix   string // empty, or with a slash at its end

	encryption    types.ServerSideEncryption // "" for the bucket's own
	encryptionKey *string
}

func (c *s3Client) connect(requests *s3.Client) {
	c.requests = requests
	c.uploads = transfermanager.New(requests, func(o *transfermanager.Options) {
		o.PartSizeBytes = uploadPartBytes
		o.MultipartUploadThreshold = 2 * uploadPartBytes
		o.Concurrency = uploadsAtOnce
		// It takes precedence over what the client has.
		o.RequestChecksumCalculation = requests.Options().RequestChecksumCalculation
	})
}

// key returns the whole key of an object, or a prefix of keys.
func (c *s3Client) key(key string) *string { return aws.String(escapeKey(c.prefix + key)) }

// name is the inverse of key.
func (c *s3Client) name(key *string) string {
	return strings.TrimPrefix(unescapeKey(aws.ToString(key)), c.prefix)
}

// Put sends an object in one request, or in parts, which are removed if it fails.
func (c *s3Client) Put(ctx context.Context, key string, body io.Reader, onlyNew bool) error {
	in := &transfermanager.UploadObjectInput{
		Bucket:               aws.String(c.bucket),
		Key:                  c.key(key),
		Body:                 body,
		ContentType:          aws.String("application/octet-stream"),
		ServerSideEncryption: c.encryption,
		SSEKMSKeyID:          c.encryptionKey,
	}
	if onlyNew {
		in.IfNoneMatch = aws.String("*")
	}
	_, err := c.uploads.UploadObject(ctx, in)
	return err
}

// Get asks for a byte if it is to read none: no range is empty.
func (c *s3Client) Get(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error) {
	out, err := c.requests.GetObject(ctx, &s3.GetObjectInput{
		Bucket: aws.String(c.bucket),
		Key:    c.key(key),
		Range:  aws.String(fmt.Sprintf("bytes=%d-%d", offset, offset+max(n, 1)-1)),
	})
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return http.NoBody, out.Body.Close()
	}
	return out.Body, nil
}

// Stat asks for the size of an object and its time.
func (c *s3Client) Stat(ctx context.Context, key string) (bytes int64, mod time.Time, err error) {
	out, err := c.requests.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String(c.bucket), Key: c.key(key)})
	if err != nil {
		return 0, time.Time{}, err
	}
	return aws.ToInt64(out.ContentLength), aws.ToTime(out.LastModified), nil
}

// pages calls f with what a list consists of.
func (c *s3Client) pages(ctx context.Context, prefix, delimiter string, f func(*s3.ListObjectsV2Output) error) error {
	in := &s3.ListObjectsV2Input{Bucket: aws.String(c.bucket), MaxKeys: aws.Int32(listPageObjects)}
	if key := c.key(prefix); *key != "" {
		in.Prefix = key
	}
	if delimiter != "" {
		in.Delimiter = aws.String(delimiter)
	}
	for {
		out, err := c.requests.ListObjectsV2(ctx, in)
		if err != nil {
			return err
		}
		if err := f(out); err != nil {
			return err
		}
		in.ContinuationToken = out.NextContinuationToken
		if aws.ToString(in.ContinuationToken) == "" {
			return nil
		}
	}
}

// List lists objects by pages.
func (c *s3Client) List(ctx context.Context, prefix string, f func(key string, bytes int64, mod time.Time) error) error {
	return c.pages(ctx, prefix, "", func(page *s3.ListObjectsV2Output) error {
		for _, o := range page.Contents {
			if err := f(c.name(o.Key), aws.ToInt64(o.Size), aws.ToTime(o.LastModified)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Dirs lists what is before slashes by pages.
func (c *s3Client) Dirs(ctx context.Context) ([]string, error) {
	var names []string
	seen := make(map[string]bool)
	err := c.pages(ctx, "", "/", func(page *s3.ListObjectsV2Output) error {
		for _, p := range page.CommonPrefixes {
			// One with an escaped slash goes on behind it.
			name, _, _ := strings.Cut(c.name(p.Prefix), "/")
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
		return nil
	})
	return names, err
}

// Delete removes an object, and does not fail if there is none.
func (c *s3Client) Delete(ctx context.Context, key string) error {
	_, err := c.requests.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: aws.String(c.bucket), Key: c.key(key)})
	return err
}
