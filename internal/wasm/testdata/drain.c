/*
 * Three full jugs from which water is poured into another, or out, until there is just so
 * much in one of them: moves that cannot be undone, states from which no goal can be
 * reached, and no function for predecessors. A board is four digits, the sizes and the
 * amount: "8534".
 */
#include "../../../puzzle/sdk/c/everystate.h"

enum { JUGS = 3 };

static es_u32 sizes[JUGS], target;
static char board_text[JUGS + 2];

static es_u32 amount(es_u64 key, es_u32 jug) { return (es_u32)(key >> (4 * jug)) & 15; }

static es_u64 start(void) { return sizes[0] | sizes[1] << 4 | sizes[2] << 8; }

static int open_board(const char *s, es_u32 bytes, const char *metric, es_u32 metric_bytes, es_puzzle *p) {
	while (bytes && s[bytes - 1] == '\n') bytes--;
	if (bytes != JUGS + 1 || metric_bytes > 4) return es_refuse(1, 1, "a board is four digits, and its metric pour");
	for (es_u32 i = 0; i < bytes; i++) {
		if (s[i] < '1' || s[i] > '9') return es_refuse(1, i + 1, "a digit from 1 to 9");
		board_text[i] = s[i];
		if (i < JUGS) sizes[i] = (es_u32)(s[i] - '0');
	}
	target = (es_u32)(s[JUGS] - '0');
	p->key_bits = 4 * JUGS;
	p->moves = JUGS * JUGS * 16;
	p->flags = ES_GOAL;
	p->metric = "pour";
	p->text = board_text;
	p->note = "water is poured from jug to jug, or out";
	p->name = "drain";
	return 0;
}

static int valid(es_u64 key) {
	for (es_u32 i = 0; i < JUGS; i++)
		if (amount(key, i) > sizes[i]) return 0;
	return key >> (4 * JUGS) == 0;
}

/* A move is from where, where to (out, if that is the same), and how much. */
static int apply(es_u64 *dst, es_u64 key, es_move move) {
	es_u32 much = move & 15, from = (es_u32)(move >> 4) / JUGS, to = (es_u32)(move >> 4) % JUGS;
	if (from >= JUGS || !much) return 0;
	es_u32 there = amount(key, from), room = from == to ? 15 : sizes[to] - amount(key, to);
	if (much != (room < there ? room : there)) return 0;
	key -= (es_u64)much << (4 * from);
	if (from != to) key += (es_u64)much << (4 * to);
	*dst = key;
	return 1;
}

static int undo(es_u64 *dst, es_u64 key, es_move move) {
	es_u32 much = move & 15, from = (es_u32)(move >> 4) / JUGS, to = (es_u32)(move >> 4) % JUGS;
	if (from >= JUGS || amount(key, from) + much > sizes[from] || (from != to && amount(key, to) < much)) return 0;
	es_u64 before = key + ((es_u64)much << (4 * from)), again;
	if (from != to) before -= (es_u64)much << (4 * to);
	if (!apply(&again, before, move) || again != key) return 0;
	*dst = before;
	return 1;
}

static es_u32 successors(es_u64 key, es_u64 *keys, es_move *moves) {
	es_u32 n = 0;
	for (es_move move = 0; move < JUGS * JUGS * 16; move++)
		if (apply(&keys[n], key, move)) moves[n++] = move;
	return n;
}

static int goal(es_u64 key) {
	for (es_u32 i = 0; i < JUGS; i++)
		if (amount(key, i) == target) return 1;
	return 0;
}

static es_u32 format(es_u64 key, char *out) {
	for (es_u32 i = 0; i < JUGS; i++) {
		out[2 * i] = (char)('0' + amount(key, i));
		out[2 * i + 1] = ' ';
	}
	return 2 * JUGS - 1;
}

static int parse(const char *s, es_u32 bytes, es_u64 *key) {
	*key = 0;
	for (es_u32 i = 0; i < bytes && i < 2 * JUGS; i += 2) *key |= (es_u64)((s[i] - '0') & 15) << (2 * i);
	if (bytes != 2 * JUGS - 1 || !valid(*key)) return es_refuse(1, 1, "a state is what is in the jugs: as in 8 0 0");
	return 0;
}

static es_u32 move_name(es_move move, char *out) {
	es_u32 from = (es_u32)(move >> 4) / JUGS, to = (es_u32)(move >> 4) % JUGS;
	out[0] = (char)('A' + from);
	out[1] = from == to ? '-' : (char)('A' + to);
	out[2] = (char)('0' + (move & 15));
	return 3;
}
