/*
 * The C side of a puzzle module, version 1 of the interface: docs/WASM.md.
 *
 * Include it once. Before that say how a puzzle is laid out and write the functions
 * that are declared below; a module has no library, so there is a little of one here.
 *
 *   clang --target=wasm32 -O3 -nostdlib -ffreestanding -fno-builtin -Wl,--no-entry \
 *         -Wl,--export-memory -o mine.wasm mine.c
 */
#ifndef EVERYSTATE_H
#define EVERYSTATE_H

typedef unsigned char es_u8;
typedef unsigned short es_u16;
typedef unsigned int es_u32;
typedef unsigned long long es_u64;
typedef es_u16 es_move;

#define ES_EXPORT(name) __attribute__((export_name(#name), visibility("default")))

enum { ES_REVERSIBLE = 1, ES_GOAL = 2, ES_ONWARD = 4, ES_BACKWARD = 8, ES_ALTERNATING = 16 };

/* What es_open finds out. Texts end with a zero byte and stay where they are. */
typedef struct {
	es_u32 key_bits, moves, flags;
	const char *metric, *text, *note, *name;
} es_puzzle;

/*
 * To be written for a puzzle of one-word keys and one start. For another puzzle copy
 * this file, and write the exports as docs/WASM.md says. With ES_OWN_SUCCESSORS
 * defined, es_successors is yours.
 */

/* Reads a board; returns 0, or a fault by es_refuse. */
static int open_board(const char *text, es_u32 bytes, const char *metric, es_u32 metric_bytes, es_puzzle *p);
static es_u64 start(void);
static int valid(es_u64 key);
/* Writes the successors in increasing order of their moves; returns how many. */
#ifndef ES_OWN_SUCCESSORS
static es_u32 successors(es_u64 key, es_u64 *keys, es_move *moves);
#endif
static int apply(es_u64 *dst, es_u64 key, es_move move);
static int undo(es_u64 *dst, es_u64 key, es_move move);
static int goal(es_u64 key);
/* Writes a text of at most ES_TEXT_MAX bytes; returns its length. */
static es_u32 format(es_u64 key, char *text);
static int parse(const char *text, es_u32 bytes, es_u64 *key);
static es_u32 move_name(es_move move, char *text);

#define ES_TEXT_MAX 4096

static es_puzzle es_the_puzzle;
static es_u32 es_record[12];
static char es_text[ES_TEXT_MAX];

static inline es_u32 es_length(const char *s) {
	es_u32 n = 0;
	while (s && s[n]) n++;
	return n;
}

static inline es_u32 es_address(const void *p) { return (es_u32)(__UINTPTR_TYPE__)p; }

/* Notes why a text is refused, and where, counted from 1 (0 for no place). */
static inline int es_refuse(es_u32 line, es_u32 column, const char *what) {
	es_record[0] = line;
	es_record[1] = column;
	es_record[2] = es_address(what);
	es_record[3] = es_length(what);
	return 1;
}

/* Memory is taken from the end of what the linker laid out, and never given back. */
extern es_u8 __heap_base;
static es_u32 es_free;

ES_EXPORT(es_alloc) es_u32 es_alloc(es_u32 bytes) {
	if (!es_free) es_free = (es_address(&__heap_base) + 7) & ~7u;
	es_u32 at = es_free, end = at + ((bytes + 7) & ~7u);
	if (end < at) return 0;
	es_u32 have = __builtin_wasm_memory_size(0);
	es_u32 need = (es_u32)(((es_u64)end + 65535) >> 16);
	if (need > have && __builtin_wasm_memory_grow(0, need - have) == (es_u32)-1) return 0;
	es_free = end;
	return at;
}

ES_EXPORT(es_abi_version) es_u32 es_abi_version(void) { return 1; }

ES_EXPORT(es_open) es_u32 es_open(const char *text, es_u32 bytes, const char *metric, es_u32 metric_bytes) {
	return (es_u32)open_board(text, bytes, metric, metric_bytes, &es_the_puzzle);
}

ES_EXPORT(es_info) es_u32 es_info(void) {
	const es_puzzle *p = &es_the_puzzle;
	const char *texts[4] = {p->metric, p->text, p->note, p->name};
	es_record[0] = p->key_bits;
	es_record[1] = p->moves;
	es_record[2] = p->flags;
	es_record[3] = 0;
	for (int i = 0; i < 4; i++) {
		es_record[4 + 2 * i] = es_address(texts[i]);
		es_record[5 + 2 * i] = es_length(texts[i]);
	}
	return es_address(es_record);
}

ES_EXPORT(es_error) es_u32 es_error(void) { return es_address(es_record); }

ES_EXPORT(es_starts) es_u32 es_starts(es_u64 *out, es_u32 capacity) {
	if (capacity > 0) out[0] = start();
	return 1;
}

ES_EXPORT(es_valid) es_u32 es_valid(const es_u64 *key) { return (es_u32)valid(*key); }

#ifndef ES_OWN_SUCCESSORS
ES_EXPORT(es_successors)
es_u64 es_successors(const es_u64 *states, es_u32 n, es_u64 *keys, es_move *moves, es_u32 capacity) {
	es_u32 i, edges = 0;
	for (i = 0; i < n && edges + es_the_puzzle.moves <= capacity; i++)
		edges += successors(states[i], keys + edges, moves + edges);
	return (es_u64)i << 32 | edges;
}
#endif

ES_EXPORT(es_apply) es_u32 es_apply(es_u64 *dst, const es_u64 *key, es_u32 move) {
	return (es_u32)apply(dst, *key, (es_move)move);
}

ES_EXPORT(es_undo) es_u32 es_undo(es_u64 *dst, const es_u64 *key, es_u32 move) {
	return (es_u32)undo(dst, *key, (es_move)move);
}

ES_EXPORT(es_goals) void es_goals(const es_u64 *states, es_u32 n, es_u8 *marks) {
	for (es_u32 i = 0; i < n; i++) marks[i] = goal(states[i]) != 0;
}

ES_EXPORT(es_format) es_u64 es_format(const es_u64 *key) {
	return (es_u64)es_address(es_text) << 32 | format(*key, es_text);
}

ES_EXPORT(es_parse) es_u32 es_parse(const char *text, es_u32 bytes, es_u64 *key) {
	return (es_u32)parse(text, bytes, key);
}

ES_EXPORT(es_move_name) es_u64 es_move_name(es_u32 move) {
	return (es_u64)es_address(es_text) << 32 | move_name((es_move)move, es_text);
}

#endif
