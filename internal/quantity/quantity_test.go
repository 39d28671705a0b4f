package quantity

import "testing"

func TestForPeople(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ got, want string }{
		{Count(0), "0"},
		{Count(999), "999"},
		{Count(1000), "1,000"},
		{Count(58882055), "58,882,055"},
		{Count(-1234), "-1,234"},
		{Counted(1, "state"), "1 state"},
		{Counted(2000, "state"), "2,000 states"},
		{Bytes(0), "0 bytes"},
		{Bytes(1), "1 byte"},
		{Bytes(1023), "1,023 bytes"},
		{Bytes(1536), "1.5 KiB"},
		{Bytes(512 << 20), "512 MiB"},
		{Bytes(3 << 40), "3.0 TiB"},
		{Seconds(0.0434), "0.043 s"},
		{Seconds(12.34), "12.3 s"},
		{Seconds(247), "4 min 07 s"},
		{Seconds(7530), "2 h 05 min"},
		{Seconds(3e8), "83,333 h 20 min"},
		{Seconds(3.9e8), "12.4 years"},
		{Seconds(1e30), "3.17e+22 years"},
		{Rate(0), "0"},
		{Rate(999.4), "999"},
		{Rate(3123456), "3,120,000"},
		{Rate(1239), "1,240"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestParseSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"512MiB": 512 << 20, "2G": 2 << 30, "300MB": 300_000_000, "1.5 g": 3 << 29,
		"64m": 64 << 20, "1000000B": 1_000_000, "1TiB": 1 << 40, "2kb": 2000,
	} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "G", "12", "-5M", "1X", "1MM", "1e3G", "0x1G", "1,5G", "NaNG", "1..2G", "9999999999T", "1iB"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q was read as %d", text, got)
		}
	}
}

func TestParseCount(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1000000": 1_000_000, "1M": 1_000_000, "1m": 1_000_000, "1e6": 1_000_000, "1,000,000": 1_000_000, "1_000_000": 1_000_000,
		"2.5k": 2500, "10G": 10_000_000_000, "-1": -1, "9223372036854775807": 9223372036854775807,
	} {
		if got, err := ParseCount(" " + text + " "); err != nil || got != want {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "M", "1.5", "1,00", ",100", "1,0000", "x", "0x10", "1e30", "Inf", "NaN", "1M2", "1,000_000x", "10MiB"} {
		if got, err := ParseCount(text); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
}
