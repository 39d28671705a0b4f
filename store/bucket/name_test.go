package bucket

import "testing"

func TestSplitRun(t *testing.T) {
	for _, test := range []struct{ url, bucket, run string }{
		{"file:///dir/run", "file:///dir", "run"},
		{"file:///dir/run/", "file:///dir", "run"},
		{"file:///run", "file:///", "run"},
		{"file:///a%20b/run", "file:///a%20b", "run"},
		{"s3://bucket/run", "s3://bucket", "run"},
		{"s3://bucket/prefix/run?x=y&region=z", "s3://bucket/prefix?x=y&region=z", "run"},
		{"s3://bucket/p/q/run-1.2_3?endpoint=http%3A%2F%2Fh%3A1", "s3://bucket/p/q?endpoint=http%3A%2F%2Fh%3A1", "run-1.2_3"},
	} {
		bucket, run, err := SplitRun(test.url)
		if err != nil || bucket != test.bucket || run != test.run {
			t.Errorf("%s is split into %s and %s, %v", test.url, bucket, run, err)
		}
	}
	for url, want := range map[string]string{
		"s3://bucket":                 "a run needs a name",
		"s3://bucket/":                "a run needs a name",
		"file:///":                    "a run needs a name",
		"file:///x/.run":              "begins with a dot",
		"s3://bucket/a%2Fb%20c":       "may only have",
		"s3://user:secret@bucket/run": "no credentials",
		"%":                           "not a URL",
	} {
		_, _, err := SplitRun(url)
		wantError(t, err, want)
	}
}

func TestObjectName(t *testing.T) {
	for _, test := range []struct {
		worker, want string
	}{
		{"w-1.x", "layers/2-0000000003-4294967295-w-1.x"},
		{"host:80_a/b", "layers/2-0000000003-4294967295-host_3a80_5fa_2fb"},
		{"", "layers/2-0000000003-4294967295-"},
	} {
		got := ObjectName(2, 3, 1<<32-1, test.worker)
		if got != test.want {
			t.Errorf("%q gives %s, want %s", test.worker, got, test.want)
		}
		if err := checkObject(got); err != nil {
			t.Error(err)
		}
	}
}
