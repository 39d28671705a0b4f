// Package bars draws numbers with block characters. All of it is pure.
package bars

import "strings"

// horizontal holds a character's width in eighths, vertical its height.
const (
	horizontal = "▏▎▍▌▋▊▉█"
	vertical   = "▁▂▃▄▅▆▇█"
)

// Bar draws value as a bar of at most width characters, which it reaches at
// limit. Any value above zero is visible.
func Bar(value, limit int64, width int) string {
	if value <= 0 || limit <= 0 || width <= 0 {
		return ""
	}
	eighths := int(float64(min(value, limit)) / float64(limit) * float64(8*width))
	eighths = max(eighths, 1)
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune(horizontal)[rest-1])
	}
	return bar
}

// Gauge draws a progress bar, always width characters long.
func Gauge(done, all int64, width int) string {
	full := 0
	if all > 0 {
		full = int(float64(min(max(done, 0), all)) / float64(all) * float64(width))
	}
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

// Sparkline draws values as columns in at most width characters. If there are
// more values, each column shows the greatest of several.
func Sparkline(values []int64, width int) string {
	columns := min(len(values), width)
	if columns <= 0 {
		return ""
	}
	heights := make([]int64, columns)
	var highest int64 = 1
	for i, v := range values {
		at := i * columns / len(values)
		heights[at] = max(heights[at], v)
		highest = max(highest, v)
	}
	levels := []rune(vertical)
	var line strings.Builder
	for _, h := range heights {
		line.WriteRune(levels[int(float64(h)/float64(highest)*float64(len(levels)-1)+0.5)])
	}
	return line.String()
}
