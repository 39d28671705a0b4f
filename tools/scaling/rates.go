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

// The rates of one process, from its profiles: the mean of one and two lanes.
var (
	denseTiles = rates{read: 6.2, successor: 3.5, partition: 6.6, split: 3.6, dedup: 8.8, visited: 6.4, write: 11.1}.with(exchangeRates)
	largeRush  = rates{read: 4.0, successor: 7.6, partition: 6.6, split: 2.4, dedup: 4.5, visited: 19.3, write: 15.7}.with(exchangeRates)
	deepRush   = rates{read: 8.5, successor: 7.7, partition: 5.8, split: 6.8, dedup: 14.9, visited: 22.5, write: 36.6}.with(exchangeRates)

	// sparse is for spaces whose partitions have too many keys for a byte each: the
	// rates of the micro-benchmarks with buckets that use a hash table.
	sparse = rates{read: 6.2, successor: 6.5, partition: 6.6, split: 10, dedup: 10, visited: 12, write: 11.1}.with(exchangeRates)
)

// costs are the fixed costs of a layer, in seconds.
type costs struct {
	layer     float64 // processor time of every worker, and wall time: journal, store, garbage collection
	agreement float64 // wall time of each of the three agreements, without network latency
	stream    float64 // processor time per stream from a lane to another worker, at either end
	call      float64 // the coordinator's processor time per call of a worker, one after another
}

// The costs of one process are what its profiles leave over. An agreement is a third
// of the additional time of a layer on a cluster, without the other costs; stream and
// call follow from the difference between two and eight workers.
var (
	localCosts   = costs{layer: 0.0012}
	clusterCosts = costs{layer: 0.0018, agreement: 0.0011, stream: 85e-6, call: 0.00013}
)

// Bytes per partition in a message and in an entry of the journal, and of the rest of
// them.
const (
	partitionBytes = 5
	messageBytes   = 300
)
