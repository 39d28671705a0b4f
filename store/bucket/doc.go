// Package bucket keeps runs in a bucket, so they survive machine loss and can be resumed
// anywhere.
//
// A run in a bucket is a log of numbered entries, the layer objects that its entries
// refer to, and a small control object that is overwritten. The package must not
// interpret the bytes of entries, blocks and the control object: what they mean is the
// caller's concern. docs/FORMAT.md shows the layout.
//
// Invariants:
//   - An entry of the log is created only if its number is free, so of any number of
//     writers at most one gets it. It never changes afterwards.
//   - A layer object appears whole or not at all, and never changes afterwards, unless
//     RewriteLayer replaces one that was lost or damaged.
//   - What a call has written is durable when the call returns: in a directory, both the
//     file and the directories that lead to it are synced.
//   - Every entry, block and index carries a checksum over its bytes and its place.
//     Corrupted bytes are reported with object and place, never returned as data, and no
//     length is used before it was checked against a bound.
//   - A run exists while its log has entry 0, which is created before all other objects of
//     a run and deleted before them.
//
// A bucket is a directory (file:///path), or a bucket of S3 or of a server that speaks
// its protocol (s3://bucket/prefix). A directory must be on a file system with hard
// links; processes on several machines may share it only if that file system handles
// hard links and directory entries like a local one. A server must support conditional
// writes (If-None-Match).
//
// Errors are one line that begins with the object's URL. Retryable distinguishes those
// that may pass by themselves.
//
// A Bucket and a Run are safe for concurrent use. Writers and readers of layers belong
// to one goroutine each.
package bucket
