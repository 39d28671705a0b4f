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
	if total := Total(); total != 0 && total < Resident() {
		t.Errorf("the machine has %d bytes, this process %d", total, Resident())
	}
}
