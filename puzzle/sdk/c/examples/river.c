/*
 * A puzzle as a WebAssembly module, as a starting point for your own: a farmer takes a wolf,
 * a goat and a cabbage across a river, in a boat for two. Left alone, the wolf eats the
 * goat, and the goat the cabbage. Where this file is beside everystate.h and its board:
 *
 *   clang --target=wasm32 -O3 -nostdlib -ffreestanding -Wl,--no-entry -Wl,--strip-all -o river.wasm river.c
 *   everystate puzzles check river.wasm river.txt
 *   everystate explore --puzzle river.wasm river.txt
 *
 * It finds 10 states, and the goal after 7 crossings.
 */
#include "../everystate.h"

/*
 * The farmer and the passengers, as texts show them. In the key of a state bit i is set
 * if who[i] has crossed.
 */
static const char who[4] = {'@', 'w', 'g', 'c'};
enum { FARMER = 1, WOLF = 2, GOAT = 4, CABBAGE = 8, EVERYBODY = 15 };

/* The names of the moves: the farmer crosses alone, or with a passenger. */
static const char *const crossings[4] = {"alone", "wolf", "goat", "cabbage"};

static es_u64 first;
static char board_text[8];

static int same(es_u64 key, es_u64 a, es_u64 b) { return !(key & a) == !(key & b); }

/* Whether nobody is eaten. What is not safe is no state. */
static int safe(es_u64 key) {
	return same(key, GOAT, FARMER) || (!same(key, GOAT, WOLF) && !same(key, GOAT, CABBAGE));
}

/* Reads a board: who is on the near bank, a bar, and who is on the far one. */
static int open_board(const char *s, es_u32 bytes, const char *metric, es_u32 metric_bytes, es_puzzle *p) {
	if (metric_bytes && !(metric_bytes == 8 && metric[0] == 'c')) return es_refuse(0, 0, "the metric of river is crossing");
	while (bytes && (s[bytes - 1] == '\n' || s[bytes - 1] == ' ')) bytes--;
	if (parse(s, bytes, &first)) return 1;
	board_text[format(first, board_text)] = 0;
	p->key_bits = 4;
	p->moves = 4;
	p->flags = ES_GOAL | ES_REVERSIBLE;
	p->metric = "crossing";
	p->text = board_text;
	p->note = "a farmer, a wolf, a goat and a cabbage cross a river";
	p->name = "river";
	return 0;
}

static es_u64 start(void) { return first; }

static int valid(es_u64 key) { return key <= EVERYBODY && safe(key); }

static int apply(es_u64 *dst, es_u64 key, es_move move) {
	if (move >= 4) return 0;
	es_u64 passenger = 1u << move, next = key ^ (FARMER | passenger);
	if (!same(key, FARMER, passenger) || !safe(next)) return 0;
	*dst = next;
	return 1;
}

/* The state before a move is where the same move leads. */
static int undo(es_u64 *dst, es_u64 key, es_move move) { return apply(dst, key, move); }

static es_u32 successors(es_u64 key, es_u64 *keys, es_move *moves) {
	es_u32 n = 0;
	for (es_move move = 0; move < 4; move++)
		if (apply(&keys[n], key, move)) moves[n++] = move;
	return n;
}

static int goal(es_u64 key) { return key == EVERYBODY; }

/* Writes a state as it is read: "@wgc|" is the usual start. */
static es_u32 format(es_u64 key, char *out) {
	es_u32 n = 0;
	for (int i = 0; i < 4; i++)
		if (!(key >> i & 1)) out[n++] = who[i];
	out[n++] = '|';
	for (int i = 0; i < 4; i++)
		if (key >> i & 1) out[n++] = who[i];
	return n;
}

static int parse(const char *s, es_u32 bytes, es_u64 *key) {
	es_u32 seen = 0, far = 0, bars = 0;
	for (es_u32 at = 0; at < bytes; at++) {
		if (s[at] == '|') bars++;
		for (es_u32 i = 0; i < 4; i++)
			if (s[at] == who[i]) {
				seen |= 1u << i;
				if (bars) far |= 1u << i;
			}
	}
	if (bytes != 5 || bars != 1 || seen != EVERYBODY)
		return es_refuse(1, 1, "a state is the letters @ w g c, each once, with a bar for the river: as in @wgc|");
	if (!safe(far)) return es_refuse(1, 1, "the goat is eaten, or eats: the farmer has to be with it, or it has to be alone");
	*key = far;
	return 0;
}

static es_u32 move_name(es_move move, char *out) {
	es_u32 n = 0;
	for (const char *s = crossings[move]; *s; s++) out[n++] = *s;
	return n;
}
