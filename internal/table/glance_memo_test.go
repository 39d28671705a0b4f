package table

import "testing"

// TestGlanceKeepsLongPaths looks along a path longer than what is remembered: states
// that are known do not make a glance forget the others.
func TestGlanceKeepsLongPaths(t *testing.T) {
	g := &Glance{depths: make(map[uint64]int32, glanceDepthsMax+1)}
	for key := range uint64(glanceDepthsMax + 1) {
		g.depths[key] = int32(key)
	}
	g.remember(nil, 7)
	if len(g.depths) != glanceDepthsMax+1 {
		t.Errorf("%d depths are left of %d", len(g.depths), glanceDepthsMax+1)
	}
	g.remember([]uint64{1 << 40, 1 << 41}, 7)
	if len(g.depths) != 2 || g.depths[1<<41] != 8 || g.depths[1<<40] != 9 {
		t.Errorf("%d depths, %d and %d, want 2, 8 and 9", len(g.depths), g.depths[1<<41], g.depths[1<<40])
	}
}
