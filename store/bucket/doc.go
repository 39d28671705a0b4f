// Package bucket keeps runs in a bucket, so that they are durable and can be
// gone on with anywhere.
//
// A run in a bucket is a log of numbered entries, the layer objects that its
// entries refer to, and a small control object that is overwritten. It knows
// bytes: what entries, blocks and the control object mean is the caller's
// affair. The layout is drawn in docs/FORMAT.md.
//
// Invariants:
//   - An entry of the log is created only if its number is free, so that of any
//     number of writers at most one gets it. It never changes then.
//   - A layer object appears whole or not at all, and never changes then.
//   - What a call has written is durable when the call returns: in a directory,
//     both the file and the directories that lead to it are synced.
//   - Every entry, block and index carries a checksum over its bytes and its
//     place. Corrupted bytes are reported with object and place, never returned
//     as data, and no length is believed before it was held against a bound.
//   - A run exists while its log has entry 0. That is created before all other
//     objects of a run and deleted before them.
//
// A bucket is a directory (file:///path) or a bucket of S3 or of a server that
// speaks its protocol (s3://bucket/prefix). A directory must be on a file system
// with hard links; processes of several machines may share it only if the file
// system does hard links and directory entries as a local one does. A server
// must support conditional writes (If-None-Match).
//
// Errors are one line that begins with the object's URL. Retryable tells what may
// go away by itself.
//
// A Bucket and a Run are safe for concurrent use. Writers and readers of layers
// belong to one goroutine each.
package bucket
