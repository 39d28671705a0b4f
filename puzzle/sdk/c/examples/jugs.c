/*
 * Water jugs: jugs of given sizes, the first one full; water is poured from one into
 * another until that is full or the first is empty. A board is a line of sizes, and
 * then the amount to measure out: "8 5 3 : 4".
 */
#include "../everystate.h"

#define JUGS 4
#define SIZE_MAX 255

static es_u32 jugs, sizes[JUGS], target;
static char text[64], name[] = "jugs";

static es_u32 amount(es_u64 key, es_u32 jug) { return (es_u32)(key >> (8 * jug)) & 255; }

/* number reads digits from *at on, and passes over the blanks behind them. */
static int number(const char *s, es_u32 bytes, es_u32 *at, es_u32 *n) {
	es_u32 first = *at;
	*n = 0;
	while (*at < bytes && s[*at] >= '0' && s[*at] <= '9' && *n <= SIZE_MAX) *n = *n * 10 + (es_u32)(s[(*at)++] - '0');
	int found = *at > first && *n <= SIZE_MAX;
	while (*at < bytes && (s[*at] == ' ' || s[*at] == '\n' || s[*at] == '\r')) (*at)++;
	return found;
}

static es_u32 put(char *out, es_u32 n) {
	char digits[10];
	es_u32 len = 0;
	do digits[len++] = (char)('0' + n % 10);
	while (n /= 10);
	for (es_u32 i = 0; i < len; i++) out[i] = digits[len - 1 - i];
	return len;
}

static int open_board(const char *s, es_u32 bytes, const char *metric, es_u32 metric_bytes, es_puzzle *p) {
	es_u32 at = 0, n = 0;
	if (metric_bytes && !(metric_bytes == 4 && metric[0] == 'p')) return es_refuse(0, 0, "the metric of jugs is pour");
	for (jugs = 0; at < bytes && s[at] != ':'; jugs++) {
		if (jugs == JUGS) return es_refuse(1, at + 1, "too many jugs: there are 2 to 4");
		if (!number(s, bytes, &at, &sizes[jugs]) || !sizes[jugs]) return es_refuse(1, at + 1, "a jug's size is a number from 1 to 255");
	}
	if (jugs < 2) return es_refuse(1, at + 1, "too few jugs: there are 2 to 4");
	if (at++ == bytes) return es_refuse(1, bytes + 1, "the amount to measure out is missing: as in 8 5 3 : 4");
	while (at < bytes && s[at] == ' ') at++;
	if (!number(s, bytes, &at, &target) || at < bytes) return es_refuse(1, at + 1, "the amount to measure out is one number up to 255");
	for (es_u32 i = 0; i < jugs; i++) {
		n += put(text + n, sizes[i]);
		text[n++] = ' ';
	}
	text[n++] = ':';
	text[n++] = ' ';
	n += put(text + n, target);
	text[n] = 0;
	p->key_bits = 8 * jugs;
	p->moves = jugs * jugs * 256;
	p->flags = ES_GOAL;
	p->metric = "pour";
	p->text = text;
	p->note = "water is poured from jug to jug";
	p->name = name;
	return 0;
}

static es_u64 start(void) { return sizes[0]; }

static int valid(es_u64 key) {
	es_u32 sum = 0;
	for (es_u32 i = 0; i < jugs; i++) {
		if (amount(key, i) > sizes[i]) return 0;
		sum += amount(key, i);
	}
	return key >> (8 * jugs) == 0 && sum == sizes[0];
}

/*
 * A move is from where, where to, and how much: with the amount it can be undone,
 * as pouring until a jug is full or empty alone could not be.
 */
static es_u32 poured(es_u64 key, es_u32 from, es_u32 to) {
	es_u32 room = sizes[to] - amount(key, to), there = amount(key, from);
	return from == to ? 0 : room < there ? room : there;
}

static es_u64 moved(es_u64 key, es_u32 from, es_u32 to, es_u32 n) {
	return key - ((es_u64)n << (8 * from)) + ((es_u64)n << (8 * to));
}

static es_u32 successors(es_u64 key, es_u64 *keys, es_move *moves) {
	es_u32 n = 0;
	for (es_u32 from = 0; from < jugs; from++)
		for (es_u32 to = 0; to < jugs; to++) {
			es_u32 much = poured(key, from, to);
			if (!much) continue;
			keys[n] = moved(key, from, to, much);
			moves[n++] = (es_move)((from * jugs + to) << 8 | much);
		}
	return n;
}

static int apply(es_u64 *dst, es_u64 key, es_move move) {
	es_u32 much = move & 255, to = (es_u32)(move >> 8) % jugs, from = (es_u32)(move >> 8) / jugs;
	if (from >= jugs || !much || poured(key, from, to) != much) return 0;
	*dst = moved(key, from, to, much);
	return 1;
}

static int undo(es_u64 *dst, es_u64 key, es_move move) {
	es_u32 much = move & 255, to = (es_u32)(move >> 8) % jugs, from = (es_u32)(move >> 8) / jugs;
	if (from >= jugs || from == to || amount(key, to) < much || amount(key, from) + much > sizes[from]) return 0;
	es_u64 before = moved(key, to, from, much), there;
	if (!apply(&there, before, move)) return 0;
	*dst = before;
	return 1;
}

static int goal(es_u64 key) {
	for (es_u32 i = 0; i < jugs; i++)
		if (amount(key, i) == target) return 1;
	return 0;
}

static es_u32 format(es_u64 key, char *out) {
	es_u32 n = 0;
	for (es_u32 i = 0; i < jugs; i++) {
		if (i) out[n++] = ' ';
		n += put(out + n, amount(key, i));
	}
	return n;
}

static int parse(const char *s, es_u32 bytes, es_u64 *key) {
	es_u32 at = 0, n;
	*key = 0;
	for (es_u32 i = 0; i < jugs; i++) {
		if (!number(s, bytes, &at, &n)) return es_refuse(1, at + 1, "a state is the amounts in the jugs: numbers, with blanks between them");
		*key |= (es_u64)n << (8 * i);
	}
	if (at < bytes || !valid(*key)) return es_refuse(1, 1, "no state: every jug holds at most its size, and all together what the first one held");
	return 0;
}

static es_u32 move_name(es_move move, char *out) {
	es_u32 pair = (es_u32)(move >> 8);
	out[0] = (char)('A' + pair / jugs);
	out[1] = (char)('A' + pair % jugs);
	return 2 + put(out + 2, move & 255);
}
