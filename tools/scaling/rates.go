package main

// rates are the costs of a layer's stages in a lane, in nanoseconds of processor
// time. They are measured: docs/lab/SCALING.md describes when, where and how.
type rates struct {
	read      float64 // per state of the frontier: decode its block, undo the mix
	successor float64 // per successor: the puzzle's own work
	partition float64 // per candidate: mix its key, put it into a chunk
	pack      float64 // per candidate for another worker: drop duplicates within the chunk, encode
	unpack    float64 // per candidate from another worker
	wire      float64 // per byte of messages, at either end
	spill     float64 // per candidate that does not fit in memory: sort, encode, read back
	split     float64 // per candidate: put it into its bucket
	dedup     float64 // per candidate: drop duplicates
	visited   float64 // per state of the two layers that the candidates are compared with
	write     float64 // per new state: digest, goal test, encode
}

// exchangeRates are a cluster's, the same for all spaces: from the profiles of two
// workers on 3x4 tiles.
var exchangeRates = rates{pack: 15.6, unpack: 4.2, wire: 0.7, spill: 20}

// with returns r with the rates of the exchange.
func (r rates) with(x rates) rates {
	r.pack, r.unpack, r.wire, r.spill = x.pack, x.unpack, x.wire, x.spill
	return r
}

// The rates of one process, from its profiles: one lane.
var (
	denseTiles = rates{read: 10, successor: 5.6, partition: 9, split: 5.3, dedup: 7.2, visited: 3.2, write: 18}.with(exchangeRates)
	largeRush  = rates{read: 11, successor: 48, partition: 10, split: 2, dedup: 10, visited: 11, write: 38}.with(exchangeRates)
	deepRush   = rates{read: 4, successor: 53, partition: 4, split: 3, dedup: 14, visited: 11, write: 32}.with(exchangeRates)

	// sparse is for spaces whose partitions have too many keys for a byte each: the
	// rates of the micro-benchmarks with buckets that use a hash table.
	sparse = rates{read: 6.2, successor: 6.5, partition: 6.6, split: 10, dedup: 10, visited: 12, write: 11.1}.with(exchangeRates)
)

// costs are the fixed costs of a layer, in seconds.
type costs struct {
	layer     float64 // processor time of every worker that has a part in it, and wall time: journal, store, garbage collection
	partition float64 // processor time of a lane for each of its partitions
	member    float64 // processor time of each of several workers that make a layer together, and wall time
	agreement float64 // wall time of an agreement, without network latency
	stream    float64 // processor time per stream from a lane to another worker, at either end
	call      float64 // the coordinator's processor time per call of a worker, one after another
	fetch     float64 // processor time for a share of a layer that moves, at either end
	block     float64 // the same for each of its partitions
}

// layer and partition are what deep-8x8 costs with 64 and with 1,024 partitions; fetch and
// block what shares of its layers cost two and 16 workers when they were handed out
// layer by layer, and member what large-8x8 costs two workers. An agreement is a part of the additional time of a layer on two workers;
// stream and call follow from the difference between two and eight workers.
var (
	localCosts   = costs{layer: 0.00045, partition: 5.4e-6}
	clusterCosts = costs{layer: 0.00045, partition: 5.4e-6, member: 0.002, agreement: 0.0011, stream: 85e-6, call: 0.00013, fetch: 0.0003, block: 4e-6}
)

// Bytes per partition in a message and in an entry of the journal, and of the rest of
// them.
const (
	partitionBytes = 5
	messageBytes   = 300
)
