// Package exchange carries candidates from the lanes of a worker process to the workers
// that own their partitions, over connections to them that its other calls share. It also
// writes to the store the shares of layers that a worker has fetched.
//
// A stream between a lane and another worker is opened when there is something to send,
// and kept from one attempt to the next: opening one costs more than a small layer has
// to send, and n workers have n² of them. The first message of each attempt names the
// run, the attempt and both workers, as if the stream were new. A stream is kept only if
// everything that it carried was confirmed; an attempt that is given up ends the streams
// that it has used, so nothing of it arrives later.
//
// It must never resend what may have arrived: a stream that breaks within an attempt
// makes the attempt fail.
package exchange
