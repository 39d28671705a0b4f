package store

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/everystate/everystate/store/guard"
)

// Metrics returns Pebble's metrics, or nil after a fatal error.
func (s *Store) Metrics() *pebble.Metrics {
	m, err := guard.Call(s.guard, func() (*pebble.Metrics, error) { return s.db.Metrics(), nil })
	if err != nil {
		return nil
	}
	return m
}
