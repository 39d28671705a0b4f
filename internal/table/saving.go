package table

// saving is what Save has set.
type saving struct {
	pause func() bool
	save  func(part Part) error
}

// Save makes Next save what has been done of a layer: it asks pause now and then, from any
// of its goroutines, whether it is time, and calls save with no work going on.
func (s *saving) Save(pause func() bool, save func(part Part) error) {
	s.pause, s.save = pause, save
}
