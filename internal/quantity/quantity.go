// Package quantity formats numbers for people and parses the sizes that they type. It
// is pure.
package quantity

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Count writes an integer with thousands separators: 24,132.
func Count(n int64) string { return grouped(strconv.FormatInt(n, 10)) }

// Big is Count of a number of any size.
func Big(n *big.Int) string { return grouped(n.String()) }

// grouped inserts thousands separators.
func grouped(digits string) string {
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	var out strings.Builder
	out.WriteString(sign)
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out.WriteByte(',')
		}
		out.WriteByte(digits[i])
	}
	return out.String()
}

// Counted writes a number of things: "1 state", "24,132 states".
func Counted(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Count(n) + " " + thing + "s"
}

// Bytes writes a size in binary units with three or four digits.
func Bytes(n int64) string {
	if n < 1<<10 {
		return Counted(n, "byte")
	}
	value, unit := float64(n), -1
	for value >= 1024 && unit < len(binaryUnits)-1 {
		value /= 1024
		unit++
	}
	decimals := 1
	if value >= 100 {
		decimals = 0
	}
	return strconv.FormatFloat(value, 'f', decimals, 64) + " " + string(binaryUnits[unit]) + "iB"
}

const binaryUnits = "KMGTPE"

// Seconds writes a duration: "0.043 s", "12.3 s", "4 min 07 s", "2 h 05 min", "12.3
// years".
func Seconds(s float64) string {
	const year, years = 365.25 * 24 * 3600, 10
	if s >= years*year {
		return strconv.FormatFloat(s/year, 'g', 3, 64) + " years"
	}
	switch whole := int64(math.Round(s)); {
	case s < 1:
		return strconv.FormatFloat(s, 'f', 3, 64) + " s"
	case s < 60:
		return strconv.FormatFloat(s, 'f', 1, 64) + " s"
	case whole < 3600:
		return fmt.Sprintf("%d min %02d s", whole/60, whole%60)
	default:
		return fmt.Sprintf("%s h %02d min", Count(whole/3600), whole%3600/60)
	}
}

// Rate writes a rate per second, without false precision.
func Rate(perSecond float64) string {
	n := int64(math.Round(perSecond))
	unit := int64(1)
	for n/unit >= 1000 {
		unit *= 10
	}
	return Count((n + unit/2) / unit * unit)
}

var errCount = errors.New("must be a whole number, for example 1000000, 1,000,000, 1e6 or 1M")

// Estimate writes a number that is an estimate with three digits: 58,900,000, or 1.05e13.
func Estimate(n float64) string {
	if n >= 1e12 || n < 1000 {
		return strconv.FormatFloat(n, 'g', 3, 64)
	}
	unit := math.Pow(10, math.Floor(math.Log10(n))-2)
	return Count(int64(math.Round(n/unit) * unit))
}

// ParseCount reads a whole number: digits, possibly in groups of three separated by
// commas or underscores, or a number with an exponent, or with K, M, G or T for
// powers of 1000.
func ParseCount(text string) (int64, error) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	digits, scale := text, 1.0
	if power := strings.Index("KMGT", strings.ToUpper(text[max(0, len(text)-1):])); power >= 0 && text != "" {
		digits, scale = text[:len(text)-1], math.Pow(1000, float64(power+1))
	}
	for _, group := range []string{",", "_"} {
		groups := strings.Split(digits, group)
		for i, g := range groups {
			if len(groups) > 1 && (len(g) > 3 || len(g) == 0 || i > 0 && len(g) != 3) {
				return 0, errCount
			}
		}
		digits = strings.Join(groups, "")
	}
	value, err := strconv.ParseFloat(digits, 64)
	value *= scale
	if err != nil || strings.ContainsAny(digits, "xXpP_ nN") || value != math.Trunc(value) || math.Abs(value) >= math.MaxInt64 {
		return 0, errCount
	}
	return int64(value), nil
}

var errSize = errors.New("must be a number with a unit, such as 512MiB, 2G or 300MB")

// ParseSize reads a number of bytes: a number with a unit. K, M, G and T, alone
// or as KiB and so on, are powers of 1024; KB and so on are powers of 1000.
func ParseSize(text string) (int64, error) {
	text = strings.TrimSpace(text)
	end := strings.LastIndexAny(text, "0123456789.") + 1
	value, err := strconv.ParseFloat(text[:end], 64)
	if err != nil || value < 0 || math.IsInf(value, 0) || strings.ContainsAny(text[:end], "eExX+_") {
		return 0, errSize
	}
	unit, ok := unitBytes(strings.TrimSpace(text[end:]))
	if !ok {
		return 0, errSize
	}
	if value *= unit; value >= math.MaxInt64 {
		return 0, errors.New("more than any machine has")
	}
	return int64(value), nil
}

func unitBytes(unit string) (float64, bool) {
	unit = strings.ToUpper(unit)
	base := 1024.0
	switch {
	case unit == "B":
		return 1, true
	case strings.HasSuffix(unit, "IB"):
		unit = strings.TrimSuffix(unit, "IB")
	case strings.HasSuffix(unit, "B"):
		unit, base = strings.TrimSuffix(unit, "B"), 1000
	}
	if len(unit) != 1 {
		return 0, false
	}
	power := strings.Index("KMGT", unit)
	return math.Pow(base, float64(power+1)), power >= 0
}
