/*
 * A ring of 4,096 states, each with a move to the next and one to the state before.
 * The board is the name of something that it does wrong, or "nothing".
 */
#define ES_OWN_SUCCESSORS
#include "../../../puzzle/sdk/c/everystate.h"

#define RING (lies("kinds") ? 3u : 4096u)
#define FAR 600u /* not in the first batches */

static char lie[32];

static int lies(const char *what) {
	for (es_u32 i = 0;; i++) {
		if (lie[i] != what[i]) return 0;
		if (!lie[i]) return 1;
	}
}

static volatile es_u32 sink;
static es_u32 recurse(es_u32 n) { return n == sink ? 0 : recurse(n + 1) + sink; }
static es_u32 forks(es_u32 depth) { return depth == 0 ? sink : forks(depth - 1) + forks(depth - 1) + sink; }

static int open_board(const char *s, es_u32 bytes, const char *metric, es_u32 metric_bytes, es_puzzle *p) {
	(void)metric, (void)metric_bytes;
	while (bytes && s[bytes - 1] == '\n') bytes--;
	if (!bytes || bytes >= sizeof lie) return es_refuse(1, 1, "a board is the name of a lie");
	for (es_u32 i = 0; i < bytes; i++) lie[i] = s[i];
	lie[bytes] = 0;
	if (lies("open-trap")) __builtin_trap();
	if (lies("open-loop"))
		for (;;) sink++;
	if (lies("grow"))
		while (__builtin_wasm_memory_grow(0, 16) != (es_u32)-1) sink++;
	if (lies("grow")) __builtin_trap();
	p->key_bits = lies("bits") ? 600 : 12;
	p->moves = lies("text") ? 3 : 2;
	p->flags = ES_REVERSIBLE | ES_GOAL | ES_ALTERNATING;
	p->metric = lies("metric") ? "" : "step";
	p->text = lies("text") ? "nothing" : lie;
	p->note = "a ring";
	p->name = "";
	return 0;
}

static es_u64 start(void) { return 0; }
static int valid(es_u64 key) { return key < (lies("valid") ? 3 : RING) && (key || !lies("start")); }

static int apply(es_u64 *dst, es_u64 key, es_move move) {
	if (move > 1) return 0;
	*dst = (key + (move ? RING - 1 : 1)) % RING;
	if (lies("apply") && move) *dst = 7;
	return 1;
}

static int undo(es_u64 *dst, es_u64 key, es_move move) {
	if (move > 1) return 0;
	*dst = (key + (move ? 1 : RING - 1)) % RING;
	if (lies("undo")) *dst = key;
	return 1;
}

ES_EXPORT(es_successors)
es_u64 es_successors(const es_u64 *states, es_u32 n, es_u64 *keys, es_move *moves, es_u32 capacity) {
	es_u32 edges = 0;
	for (es_u32 i = 0; i < n; i++) {
		if (states[i] == FAR && lies("trap")) __builtin_trap();
		if (states[i] == FAR && lies("loop"))
			for (;;) sink++;
		if (states[i] == FAR && lies("recurse")) sink = recurse(1);
		if (states[i] == FAR && lies("forks")) sink = forks(64);
		if (states[i] == FAR && lies("fill"))
			for (;;) __builtin_memset((void *)65536, (int)sink, 65536);
		if (states[i] == FAR && lies("outside")) *(volatile es_u32 *)0xfffffff0u = 1;
		apply(&keys[edges], states[i], 0);
		moves[edges++] = 0;
		apply(&keys[edges], states[i], 1);
		moves[edges++] = 1;
		if (lies("apply")) keys[edges - 1] = (states[i] + RING - 1) % RING;
		if (lies("key") && states[i] == FAR) keys[edges - 1] = RING;
		if (lies("move") && states[i] == FAR) moves[edges - 1] = 2;
		if (lies("order")) {
			moves[edges - 2] = 1;
			moves[edges - 1] = 0;
		}
		if (lies("batch") && n > 1) keys[edges - 1] = 9;
		if (lies("one-way")) edges--;
	}
	if (lies("none")) n = 0;
	if (lies("more")) n++;
	if (lies("many")) edges = capacity + 1;
	return (es_u64)n << 32 | edges;
}

static int goal(es_u64 key) { return lies("mark") ? 1 : key == RING / 2; }

static es_u32 format(es_u64 key, char *out) {
	es_u32 n = 0;
	if (lies("unequal")) key &= ~1ull; /* a state under two keys */
	if (lies("escape")) out[n++] = 27;
	for (es_u32 place = 1000; place; place /= 10) out[n++] = (char)('0' + key / place % 10);
	if (lies("outside-format")) return 1 << 20;
	if (lies("long")) return 0x7fffffff;
	return n;
}

static int parse(const char *s, es_u32 bytes, es_u64 *key) {
	*key = 0;
	for (es_u32 i = 0; i < bytes; i++) {
		if (s[i] < '0' || s[i] > '9') return es_refuse(1, i + 1, "a state is a number");
		*key = *key * 10 + (es_u64)(s[i] - '0');
	}
	if (*key >= RING) return es_refuse(1, 1, "a state is less than 4096");
	return 0;
}

static es_u32 move_name(es_move move, char *out) {
	out[0] = move ? '-' : '+';
	return 1;
}
