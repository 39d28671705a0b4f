// Package prove is a worker's part in the proof that a run is complete: it checks the
// states of the partitions kept here with package proof, and exchanges successors with
// the workers that keep the others (ProofService).
//
// It reads what is stored and writes files of its own only. It must never use what made
// the layers: neither the exchange of candidates nor the workers' pipelines. Each proof
// belongs to the call of the coordinator that leads it, and ends with it.
package prove
