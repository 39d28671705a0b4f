/*
 * The sliding tiles, with the keys and moves of the family that is built in, to
 * compare with it. A board is rows of numbers, with 0 for the hole; the goal is the
 * tiles in order.
 *
 * Cells are counted along the shorter side, a lane. The tiles in this order, without
 * the hole, are a permutation; its Lehmer code in mixed radix, times the cells, plus
 * the hole's cell, is the key. A hole that moves along its lane changes its cell
 * alone. One that moves to the next lane takes one tile past the others of a window
 * of the permutation, which changes the digits of that window alone: by a table.
 */
#include "../everystate.h"

#define CELLS 16

enum { NEXT, BEFORE, FORWARD, BACK };

static es_u32 rows, cols, cells, width, sideways;
static es_u64 first, solved, all;
static es_u64 low[CELLS];    /* what a window's digits are multiplied by */
static es_u32 window[CELLS]; /* how many values the digits of a window have */
static es_u16 *ahead[CELLS], *behind[CELLS];
static char text[ES_TEXT_MAX];
static const char note[] = "tiles slide into the hole until they are in order";

static es_u32 cell(es_u32 i) { return sideways ? i % rows * cols + i / rows : i; }

static es_u64 rank(const es_u8 *board) {
	es_u64 r = 0;
	es_u32 hole = 0, left = cells - 1, used = 1;
	for (es_u32 i = 0; i < cells; i++) {
		es_u32 tile = board[cell(i)];
		if (!tile) {
			hole = i;
			continue;
		}
		used |= 1u << tile;
		r = r * left-- + (es_u32)__builtin_popcount(~used & ((1u << tile) - 1));
	}
	return r * cells + hole;
}

static void unrank(es_u64 key, es_u8 *board) {
	es_u32 hole = (es_u32)(key % cells), digits[CELLS], used = 1;
	es_u64 r = key / cells;
	for (es_u32 i = cells - 1; i-- > 0;) {
		digits[i] = (es_u32)(r % (cells - 1 - i));
		r /= cells - 1 - i;
	}
	for (es_u32 i = 0, n = 0; i < cells; i++) {
		board[cell(i)] = 0;
		if (i == hole) continue;
		es_u32 before = digits[n++], tile = 1;
		while (used >> tile & 1 || before--) tile++;
		/* The loop's test takes a used tile for free and counts the others. */
		board[cell(i)] = (es_u8)tile;
		used |= 1u << tile;
	}
}

/* tabulate finds out what becomes of a window whose last tile comes first. */
static int tabulate(es_u32 p) {
	es_u32 radix[CELLS], digits[CELLS], n = 1;
	es_u64 weight = 1;
	for (es_u32 i = 2; i + p + width < cells; i++) weight *= i;
	low[p] = weight;
	for (es_u32 i = 0; i < width; i++) n *= radix[i] = cells - 1 - p - i;
	window[p] = n;
	es_u32 at = es_alloc(4 * n);
	if (!at) return 0;
	ahead[p] = (es_u16 *)(__UINTPTR_TYPE__)at;
	behind[p] = ahead[p] + n;
	for (es_u32 v = 0; v < n; v++) {
		es_u32 left = v, to = 0;
		for (es_u32 i = width; i-- > 0; left /= radix[i]) digits[i] = left % radix[i];
		es_u32 x = digits[width - 1], turned[CELLS];
		for (es_u32 i = width - 1; i-- > 0;) {
			turned[i + 1] = digits[i] > x ? digits[i] - 1 : digits[i];
			if (digits[i] <= x) x++;
		}
		turned[0] = x;
		for (es_u32 i = 0; i < width; i++) to = to * radix[i] + turned[i];
		ahead[p][v] = (es_u16)to;
		behind[p][to] = (es_u16)v;
	}
	return 1;
}

static inline es_u64 turn(es_u64 key, es_u32 to, es_u32 p, const es_u16 *table) {
	es_u64 r = key / cells, high = r / low[p];
	es_u32 v = (es_u32)(high % window[p]);
	return (r + ((es_u64)table[v] - v) * low[p]) * cells + to;
}

static inline es_u32 expand(es_u64 key, es_u32 leave, es_u64 *keys, es_move *moves) {
	es_u32 hole = (es_u32)(key % cells), place = hole % width, n = 0;
	if (hole + width < cells && leave != NEXT) {
		keys[n] = turn(key, hole + width, hole, ahead[hole]);
		moves[n++] = NEXT;
	}
	if (hole >= width && leave != BEFORE) {
		keys[n] = turn(key, hole - width, hole - width, behind[hole - width]);
		moves[n++] = BEFORE;
	}
	if (place + 1 < width && leave != FORWARD) {
		keys[n] = key + 1;
		moves[n++] = FORWARD;
	}
	if (place > 0 && leave != BACK) {
		keys[n] = key - 1;
		moves[n++] = BACK;
	}
	return n;
}

static es_u32 successors(es_u64 key, es_u64 *keys, es_move *moves) { return expand(key, 4, keys, moves); }

ES_EXPORT(es_onward)
es_u64 es_onward(const es_u64 *states, const es_move *links, es_u32 n, es_u64 *keys, es_move *moves, es_u32 capacity) {
	es_u32 i, edges = 0;
	for (i = 0; i < n && edges + 4 <= capacity; i++) edges += expand(states[i], links[i] ^ 1, keys + edges, moves + edges);
	return (es_u64)i << 32 | edges;
}

static int apply(es_u64 *dst, es_u64 key, es_move move) {
	es_u64 keys[4];
	es_move moves[4];
	for (es_u32 i = 0, n = successors(key, keys, moves); i < n; i++)
		if (moves[i] == move) {
			*dst = keys[i];
			return 1;
		}
	return 0;
}

static int undo(es_u64 *dst, es_u64 key, es_move move) { return apply(dst, key, move ^ 1); }

static es_u64 start(void) { return first; }
static int valid(es_u64 key) { return key < all; }
static int goal(es_u64 key) { return key == solved; }

static es_u32 put(char *out, es_u32 n) {
	if (n > 9) *out++ = '1';
	*out = (char)('0' + n % 10);
	return n > 9 ? 2 : 1;
}

static es_u32 format(es_u64 key, char *out) {
	es_u8 board[CELLS];
	es_u32 n = 0;
	unrank(key, board);
	for (es_u32 i = 0; i < cells; i++) {
		if (i) out[n++] = i % cols ? ' ' : '\n';
		n += put(out + n, board[i]);
	}
	return n;
}

/* read reads rows of numbers and finds out their shape. */
static int read(const char *s, es_u32 bytes, es_u8 *board, es_u32 *across, es_u32 *down) {
	es_u32 line = 1, column = 1, n = 0, in_row = 0, seen = 0;
	*across = *down = 0;
	for (es_u32 i = 0; i <= bytes; i++, column++) {
		if (i == bytes || s[i] == '\n' || s[i] == '/') {
			if (in_row && *across && in_row != *across) return es_refuse(line, 1, "a row of another length than those before it");
			if (in_row) *across = in_row, ++*down;
			in_row = 0;
			if (i < bytes && s[i] == '\n') line++, column = 0;
			continue;
		}
		if (s[i] == ' ' || s[i] == '\r') continue;
		es_u32 tile = 0, digits = 0;
		for (; i < bytes && s[i] >= '0' && s[i] <= '9' && digits < 3; i++, digits++) tile = 10 * tile + (es_u32)(s[i] - '0');
		if (!digits || tile >= CELLS) return es_refuse(line, column, "a tile is a number up to 15, and 0 the hole");
		if (seen >> tile & 1 || n == CELLS) return es_refuse(line, column, "a tile that is here a second time");
		seen |= 1u << tile;
		board[n++] = (es_u8)tile;
		in_row++;
		i--;
		column += digits - 1;
	}
	if (*across < 2 || *down < 2) return es_refuse(0, 0, "a board of fewer than 2x2 cells");
	if (seen != (1u << n) - 1) return es_refuse(0, 0, "a number is left out: a board has all of them from 0 up");
	return 0;
}

static int open_board(const char *s, es_u32 bytes, const char *metric, es_u32 metric_bytes, es_puzzle *p) {
	es_u8 board[CELLS], goal_board[CELLS];
	if (metric_bytes && !(metric_bytes == 4 && metric[0] == 't')) return es_refuse(0, 0, "the metric of these tiles is tile");
	if (read(s, bytes, board, &cols, &rows)) return 1;
	cells = rows * cols;
	sideways = cols > rows;
	width = sideways ? rows : cols;
	for (es_u32 i = 0; i + width < cells; i++)
		if (!tabulate(i)) return es_refuse(0, 0, "the memory does not suffice for the tables");
	all = 1;
	for (es_u32 i = 0; i < cells; i++) {
		all *= i + 1;
		goal_board[i] = (es_u8)(i + 1 < cells ? i + 1 : 0);
	}
	first = rank(board);
	solved = rank(goal_board);
	text[format(first, text)] = 0;
	p->key_bits = 64 - (es_u32)__builtin_clzll(all - 1);
	p->moves = 4;
	p->flags = ES_REVERSIBLE | ES_GOAL | ES_ONWARD | ES_ALTERNATING;
	p->metric = "tile";
	p->text = text;
	p->note = note;
	p->name = "";
	return 0;
}

static int parse(const char *s, es_u32 bytes, es_u64 *key) {
	es_u8 board[CELLS];
	es_u32 across, down;
	if (read(s, bytes, board, &across, &down)) return 1;
	if (across != cols || down != rows) return es_refuse(1, 1, "a board of another size");
	*key = rank(board);
	return 0;
}

static es_u32 move_name(es_move move, char *out) {
	out[0] = (sideways ? "LRUD" : "UDLR")[move & 3];
	return 1;
}
