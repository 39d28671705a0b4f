/*
 * A square of states, from several of which one starts, with keys of two words: the
 * exports as docs/WASM.md says, without the header of the SDK. A board is the length
 * of a side, 2 to 99.
 */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define EXPORT(name) __attribute__((export_name(#name))) name

static u32 side, record[12], used;
static char text[16];
static u64 memory[1 << 15];

static u32 address(const void *p) { return (u32)(__UINTPTR_TYPE__)p; }

static u32 length(const char *s) {
	u32 n = 0;
	while (s[n]) n++;
	return n;
}

static u32 refuse(const char *what) {
	record[0] = record[1] = 1;
	record[2] = address(what);
	record[3] = length(what);
	return 1;
}

/* A state is a row and a column; both words tell of both. */
static void put(u64 *key, u32 row, u32 col) {
	key[0] = (u64)row << 57 | (u64)col << 20 | 1;
	key[1] = (u64)col << 40 | (row ^ col);
}

static u32 row_of(const u64 *key) { return (u32)(key[0] >> 57); }
static u32 col_of(const u64 *key) { return (u32)(key[1] >> 40); }

static u32 move(u64 *to, const u64 *key, u32 by) {
	u32 row = row_of(key), col = col_of(key);
	if (by == 0 && row + 1 < side) row++;
	else if (by == 1 && row > 0) row--;
	else if (by == 2 && col + 1 < side) col++;
	else if (by == 3 && col > 0) col--;
	else return 0;
	put(to, row, col);
	return 1;
}

u32 EXPORT(es_abi_version)(void) { return 1; }

u32 EXPORT(es_alloc)(u32 bytes) {
	u32 at = used, words = (bytes + 7) / 8;
	if (words > sizeof memory / 8 - used) return 0;
	used += words;
	return address(&memory[at]);
}

static u32 number(const char *s, u32 bytes, u32 *at) {
	u32 n = 0;
	while (*at < bytes && s[*at] >= '0' && s[*at] <= '9' && n < 100) n = 10 * n + (u32)(s[(*at)++] - '0');
	while (*at < bytes && (s[*at] == ' ' || s[*at] == '\n')) (*at)++;
	return n;
}

static u32 digits(char *out, u32 n) {
	u32 len = 0;
	if (n > 9) out[len++] = (char)('0' + n / 10);
	out[len++] = (char)('0' + n % 10);
	return len;
}

u32 EXPORT(es_open)(const char *s, u32 bytes, const char *metric, u32 metric_bytes) {
	u32 at = 0;
	(void)metric, (void)metric_bytes;
	side = number(s, bytes, &at);
	if (at < bytes || side < 2 || side > 99) return refuse("a board is the length of a side, 2 to 99");
	text[digits(text, side)] = 0;
	return 0;
}

u32 EXPORT(es_info)(void) {
	const char *texts[4] = {"step", text, "a square of states", ""};
	record[0] = 128;
	record[1] = 4;
	record[2] = 1 | 2 | 16;
	record[3] = 0;
	for (u32 i = 0; i < 4; i++) {
		record[4 + 2 * i] = address(texts[i]);
		record[5 + 2 * i] = length(texts[i]);
	}
	return address(record);
}

u32 EXPORT(es_error)(void) { return address(record); }

/* Two corners, and a cell at an edge. */
u32 EXPORT(es_starts)(u64 *keys, u32 capacity) {
	if (capacity < 3) return 3;
	put(keys, 0, 0);
	put(keys + 2, side - 1, side - 1);
	put(keys + 4, 0, side / 2);
	return 3;
}

u32 EXPORT(es_valid)(const u64 *key) {
	u64 again[2];
	if (row_of(key) >= side || key[1] >> 40 >= side) return 0;
	put(again, row_of(key), col_of(key));
	return again[0] == key[0] && again[1] == key[1];
}

u64 EXPORT(es_successors)(const u64 *states, u32 n, u64 *keys, u16 *moves, u32 capacity) {
	u32 i, edges = 0;
	for (i = 0; i < n && edges + 4 <= capacity; i++)
		for (u32 by = 0; by < 4; by++)
			if (move(keys + 2 * edges, states + 2 * i, by)) moves[edges++] = (u16)by;
	return (u64)i << 32 | edges;
}

u32 EXPORT(es_apply)(u64 *to, const u64 *key, u32 by) { return move(to, key, by); }
u32 EXPORT(es_undo)(u64 *to, const u64 *key, u32 by) { return move(to, key, by ^ 1); }

void EXPORT(es_goals)(const u64 *states, u32 n, u8 *marks) {
	for (u32 i = 0; i < n; i++) marks[i] = row_of(states + 2 * i) == side / 2 && col_of(states + 2 * i) == side / 3;
}

static char out[16];

u64 EXPORT(es_format)(const u64 *key) {
	u32 n = digits(out, row_of(key));
	out[n++] = ' ';
	n += digits(out + n, col_of(key));
	return (u64)address(out) << 32 | n;
}

u32 EXPORT(es_parse)(const char *s, u32 bytes, u64 *to) {
	u32 at = 0, row = number(s, bytes, &at), col = number(s, bytes, &at);
	if (at < bytes || row >= side || col >= side) return refuse("a state is a row and a column, less than the side");
	put(to, row, col);
	return 0;
}

u64 EXPORT(es_move_name)(u32 by) {
	out[0] = "DURL"[by & 3];
	return (u64)address(out) << 32 | 1;
}
