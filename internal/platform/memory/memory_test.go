package memory

import "testing"

func TestHeld(t *testing.T) {
	t.Parallel()
	const least = 1 << 20
	if r := Resident(); r < least {
		t.Errorf("resident: %d bytes", r)
	}
	if p := Peak(); p < least {
		t.Errorf("peak: %d bytes", p)
	}
	if limit, from := Limit("/"); limit != 0 && limit < Resident() {
		t.Errorf("%d bytes %s, this process %d", limit, from, Resident())
	}
}
