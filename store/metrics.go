package store

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/everystate/everystate/store/guard"
)

// Metrics returns what Pebble says of itself, or nil after an error that it could
// not survive.
func (s *Store) Metrics() *pebble.Metrics {
	m, err := guard.Call(s.guard, func() (*pebble.Metrics, error) { return s.db.Metrics(), nil })
	if err != nil {
		return nil
	}
	return m
}
