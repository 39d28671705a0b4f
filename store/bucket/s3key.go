package bucket

import (
	"fmt"
	"strconv"
	"strings"
)

// escapeKey returns a key as S3 has it. What would be misunderstood is escaped, as
// __0x2f__ for example: a slash behind two dots, as of a run whose name ends in them,
// and the beginning of what looks like an escape. Buckets have always been written so.
func escapeKey(key string) string {
	var b strings.Builder
	for i, c := range key {
		_, n := escapeAt(key[i:])
		if n > 0 || c == '/' && strings.HasSuffix(key[:i], "..") {
			fmt.Fprintf(&b, "__%#x__", c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// unescapeKey is the inverse of escapeKey.
func unescapeKey(key string) string {
	var b strings.Builder
	for key != "" {
		if c, n := escapeAt(key); n > 0 {
			b.WriteRune(c)
			key = key[n:]
			continue
		}
		b.WriteByte(key[0])
		key = key[1:]
	}
	return b.String()
}

// escapeAt returns what the escape stands for that a key begins with, and its length,
// which is 0 if there is none.
func escapeAt(key string) (c rune, n int) {
	const begin, end = "__0x", "__"
	rest, begins := strings.CutPrefix(key, begin)
	digits, _, ends := strings.Cut(rest, end)
	if !begins || !ends {
		return 0, 0
	}
	v, err := strconv.ParseInt(digits, 16, 32)
	if err != nil {
		return 0, 0
	}
	return rune(v), len(begin) + len(digits) + len(end)
}
