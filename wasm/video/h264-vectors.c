/*
 * The hot loops of H.264 at eight bits a sample, in vectors of 128 bits: FFmpeg has them in assembler for processors, and
 * in plain C, which compilers do not see through, for WebAssembly. Results are the same to the bit, as the standard asks.
 *
 * Equations: ITU-T H.264, clauses 8.4.2.2 (pictures between samples), 8.5.12 and 8.5.13 (transforms), 8.7.2 (edges).
 *
 * The linker leads FFmpeg's calls of its three `init` functions here (`--wrap` in build.sh): its sources stay as they are.
 */
#include <libavcodec/h264chroma.h>
#include <libavcodec/h264_parse.h>
#include <libavcodec/h264dsp.h>
#include <libavcodec/h264qpel.h>
#include <string.h>
#include <wasm_simd128.h>

#define INLINE static inline __attribute__((always_inline))

/* Eight numbers of 16 bits; operators work on each, comparisons give -1 or 0. */
typedef int16_t Words __attribute__((vector_size(16)));
typedef int32_t Longs __attribute__((vector_size(16)));

INLINE Words all(int value) { return (Words)wasm_i16x8_splat(value); }
INLINE Words least(Words a, Words b) { return (Words)wasm_i16x8_min((v128_t)a, (v128_t)b); }
INLINE Words most(Words a, Words b) { return (Words)wasm_i16x8_max((v128_t)a, (v128_t)b); }
INLINE Words within(Words value, Words limit) { return most(least(value, limit), -limit); }
INLINE Words choose(Words mask, Words yes, Words no) {
  return (Words)wasm_v128_bitselect((v128_t)yes, (v128_t)no, (v128_t)mask);
}

INLINE Words load(const uint8_t *from) { return (Words)wasm_u16x8_load8x8(from); }
/* Clips to 0..255. */
INLINE v128_t bytes(Words value) { return wasm_u8x16_narrow_i16x8((v128_t)value, (v128_t)value); }
INLINE void store(uint8_t *to, v128_t value) { wasm_v128_store64_lane(to, value, 0); }
INLINE v128_t load_bytes(const uint8_t *from) { return wasm_v128_load64_zero(from); }

/* ---- Pictures between samples, luma: six taps, 1 -5 20 20 -5 1 -------------------------------------------------- */

/* `step` is 1 along a row, or the stride. */
INLINE Words six_taps(const uint8_t *at, ptrdiff_t step) {
  Words outer = load(at - 2 * step) + load(at + 3 * step);
  Words middle = load(at - step) + load(at + 2 * step);
  Words inner = load(at) + load(at + step);
  return outer + all(5) * ((inner << 2) - middle);
}

INLINE v128_t half(Words taps) { return bytes((taps + all(16)) >> 5); }

/* The six taps over sums that were not rounded, which takes 32 bits. */
INLINE v128_t half_of_halves(const Words *rows) {
  const v128_t outer = wasm_i16x8_make(1, -5, 1, -5, 1, -5, 1, -5), inner = wasm_i16x8_const_splat(20);
  const v128_t outer_end = wasm_i16x8_make(-5, 1, -5, 1, -5, 1, -5, 1);
  v128_t sums[2];
  for (int high = 0; high < 2; high++) {
    v128_t pairs[3];
    for (int i = 0; i < 3; i++) {
      v128_t a = (v128_t)rows[2 * i], b = (v128_t)rows[2 * i + 1];
      pairs[i] = high ? wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
                      : wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    }
    Longs sum = (Longs)wasm_i32x4_dot_i16x8(pairs[0], outer) + (Longs)wasm_i32x4_dot_i16x8(pairs[1], inner) +
                (Longs)wasm_i32x4_dot_i16x8(pairs[2], outer_end);
    sums[high] = (v128_t)((sum + 512) >> 10);
  }
  return bytes((Words)wasm_i16x8_narrow_i32x4(sums[0], sums[1]));
}

/* Eight columns at x and y quarters of a sample; quarters are means of their neighbours. */
INLINE void luma_columns(uint8_t *to, const uint8_t *from, ptrdiff_t stride, int rows, int x, int y, int averaged) {
  const uint8_t *right = from + (x == 3), *below = from + (y == 3) * stride;
  Words taps[16 + 5];
  int both = (x == 2 && y != 0) || (y == 2 && x != 0);
  if (both)
    for (int row = 0; row < rows + 5; row++) taps[row] = six_taps(from + (row - 2) * stride, 1);
  for (int row = 0; row < rows; row++) {
    ptrdiff_t at = row * stride;
    v128_t value;
    if (both) {
      value = half_of_halves(taps + row);
      if (y != 2) value = wasm_u8x16_avgr(value, half(taps[row + 2 + (y == 3)]));
      if (x != 2) value = wasm_u8x16_avgr(value, half(six_taps(right + at, stride)));
    } else if (y == 0) {
      value = half(six_taps(from + at, 1));
      if (x != 2) value = wasm_u8x16_avgr(value, load_bytes(right + at));
    } else if (x == 0) {
      value = half(six_taps(from + at, stride));
      if (y != 2) value = wasm_u8x16_avgr(value, load_bytes(below + at));
    } else {
      value = wasm_u8x16_avgr(half(six_taps(below + at, 1)), half(six_taps(right + at, stride)));
    }
    if (averaged) value = wasm_u8x16_avgr(value, load_bytes(to + at));
    store(to + at, value);
  }
}

#define LUMA(x, y, size, name, averaged)                                                           \
  static void name##_##size##_##x##_##y(uint8_t *to, const uint8_t *from, ptrdiff_t stride) {      \
    for (int column = 0; column < size; column += 8)                                               \
      luma_columns(to + column, from + column, stride, size, x, y, averaged);                      \
  }
#define LUMA_ALL(x, y) LUMA(x, y, 16, put, 0) LUMA(x, y, 8, put, 0) LUMA(x, y, 16, avg, 1) LUMA(x, y, 8, avg, 1)
#define EACH_PLACE(do) \
  do(1, 0) do(2, 0) do(3, 0) do(0, 1) do(1, 1) do(2, 1) do(3, 1) do(0, 2) do(1, 2) do(2, 2) do(3, 2) do(0, 3) do(1, 3) do(2, 3) do(3, 3)
EACH_PLACE(LUMA_ALL)

void __real_ff_h264qpel_init(H264QpelContext *context, int bits);
void __wrap_ff_h264qpel_init(H264QpelContext *context, int bits) {
  __real_ff_h264qpel_init(context, bits);
  if (bits != 8) return;
#define LUMA_SET(x, y)                                                     \
  context->put_h264_qpel_pixels_tab[0][x + 4 * y] = put_16_##x##_##y;      \
  context->put_h264_qpel_pixels_tab[1][x + 4 * y] = put_8_##x##_##y;       \
  context->avg_h264_qpel_pixels_tab[0][x + 4 * y] = avg_16_##x##_##y;      \
  context->avg_h264_qpel_pixels_tab[1][x + 4 * y] = avg_8_##x##_##y;
  EACH_PLACE(LUMA_SET)
}

/* ---- Pictures between samples, chroma: the four neighbours by their nearness, in eighths ------------------------- */

INLINE Words load_some(const uint8_t *from, int columns) {
  return columns == 8 ? load(from) : (Words)wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(from));
}

INLINE void chroma(uint8_t *to, const uint8_t *from, ptrdiff_t stride, int rows, int x, int y, int columns, int averaged) {
  /* Nothing is read beyond what has a share. */
  ptrdiff_t right = x ? 1 : 0, below = y ? stride : 0;
  Words a = all((8 - x) * (8 - y)), b = all(x * (8 - y)), c = all((8 - x) * y), d = all(x * y);
  for (int row = 0; row < rows; row++, from += stride, to += stride) {
    Words sum = a * load_some(from, columns) + b * load_some(from + right, columns) +
                c * load_some(from + below, columns) + d * load_some(from + below + right, columns);
    v128_t value = bytes((sum + all(32)) >> 6);
    if (averaged) value = wasm_u8x16_avgr(value, columns == 8 ? load_bytes(to) : wasm_v128_load32_zero(to));
    if (columns == 8) store(to, value);
    else wasm_v128_store32_lane(to, value, 0);
  }
}

#define CHROMA(name, columns, averaged)                                                                          \
  static void name##_chroma_##columns(uint8_t *to, uint8_t *from, ptrdiff_t stride, int rows, int x, int y) {     \
    chroma(to, from, stride, rows, x, y, columns, averaged);                                                      \
  }
CHROMA(put, 8, 0) CHROMA(put, 4, 0) CHROMA(avg, 8, 1) CHROMA(avg, 4, 1)

void __real_ff_h264chroma_init(H264ChromaContext *context, int bits);
void __wrap_ff_h264chroma_init(H264ChromaContext *context, int bits) {
  __real_ff_h264chroma_init(context, bits);
  if (bits != 8) return;
  context->put_h264_chroma_pixels_tab[0] = put_chroma_8;
  context->put_h264_chroma_pixels_tab[1] = put_chroma_4;
  context->avg_h264_chroma_pixels_tab[0] = avg_chroma_8;
  context->avg_h264_chroma_pixels_tab[1] = avg_chroma_4;
}

/* ---- Edges of blocks ---------------------------------------------------------------------------------------------- */

/* Eight places along an edge: p on its one side, q on the other, the nearest first. */
typedef struct {
  Words p[4], q[4];
} Edge;

/* Eight rows of eight bytes become columns. */
INLINE void transpose_bytes(v128_t rows[8], v128_t pairs_of_columns[4]) {
  v128_t twos[4], fours[4];
  for (int i = 0; i < 4; i++)
    twos[i] = wasm_i8x16_shuffle(rows[2 * i], rows[2 * i + 1], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  for (int i = 0; i < 2; i++) {
    fours[i] = wasm_i16x8_shuffle(twos[2 * i], twos[2 * i + 1], 0, 8, 1, 9, 2, 10, 3, 11);
    fours[i + 2] = wasm_i16x8_shuffle(twos[2 * i], twos[2 * i + 1], 4, 12, 5, 13, 6, 14, 7, 15);
  }
  for (int i = 0; i < 2; i++) {
    pairs_of_columns[2 * i] = wasm_i32x4_shuffle(fours[2 * i], fours[2 * i + 1], 0, 4, 1, 5);
    pairs_of_columns[2 * i + 1] = wasm_i32x4_shuffle(fours[2 * i], fours[2 * i + 1], 2, 6, 3, 7);
  }
}

INLINE Edge edge_between_columns(const uint8_t *at, ptrdiff_t stride) {
  v128_t rows[8], pairs[4];
  for (int i = 0; i < 8; i++) rows[i] = load_bytes(at - 4 + i * stride);
  transpose_bytes(rows, pairs);
  Edge edge;
  for (int i = 0; i < 2; i++) {
    edge.p[3 - 2 * i] = (Words)wasm_u16x8_extend_low_u8x16(pairs[i]);
    edge.p[2 - 2 * i] = (Words)wasm_u16x8_extend_high_u8x16(pairs[i]);
    edge.q[2 * i] = (Words)wasm_u16x8_extend_low_u8x16(pairs[i + 2]);
    edge.q[2 * i + 1] = (Words)wasm_u16x8_extend_high_u8x16(pairs[i + 2]);
  }
  return edge;
}

INLINE void store_columns(const Edge *edge, uint8_t *at, ptrdiff_t stride) {
  v128_t columns[8], pairs[4];
  for (int i = 0; i < 4; i++) {
    columns[3 - i] = bytes(edge->p[i]);
    columns[4 + i] = bytes(edge->q[i]);
  }
  transpose_bytes(columns, pairs);
  for (int i = 0; i < 4; i++) {
    wasm_v128_store64_lane(at - 4 + 2 * i * stride, pairs[i], 0);
    wasm_v128_store64_lane(at - 4 + (2 * i + 1) * stride, pairs[i], 1);
  }
}

/* `depth` samples on either side are read, or written. */
INLINE Edge edge_between_rows(const uint8_t *at, ptrdiff_t stride, int depth) {
  Edge edge;
  for (int i = 0; i < depth; i++) {
    edge.p[i] = load(at - (i + 1) * stride);
    edge.q[i] = load(at + i * stride);
  }
  return edge;
}

INLINE void store_rows(const Edge *edge, uint8_t *at, ptrdiff_t stride, int depth) {
  for (int i = 0; i < depth; i++) {
    store(at - (i + 1) * stride, bytes(edge->p[i]));
    store(at + i * stride, bytes(edge->q[i]));
  }
}

INLINE Words is_near(Words a, Words b, int limit) {
  return (Words)wasm_i16x8_abs((v128_t)(a - b)) < all(limit);
}

INLINE Words is_filtered(const Edge *edge, int alpha, int beta) {
  return is_near(edge->p[0], edge->q[0], alpha) & is_near(edge->p[1], edge->p[0], beta) &
         is_near(edge->q[1], edge->q[0], beta);
}

/* Strength 1 to 3. `strength` below 0, and 0 for chroma, leaves a place as it is. Answers whether anything was changed. */
INLINE int smooth(Edge *edge, int alpha, int beta, Words strength, int is_luma) {
  Words filtered = is_filtered(edge, alpha, beta) & (strength > all(is_luma ? -1 : 0));
  if (!wasm_v128_any_true((v128_t)filtered)) return 0;
  Words p0 = edge->p[0], p1 = edge->p[1], q0 = edge->q[0], q1 = edge->q[1], limit = strength;
  if (is_luma) {
    Words p2 = edge->p[2], q2 = edge->q[2], middle = (p0 + q0 + all(1)) >> 1;
    Words flat_p = is_near(p2, p0, beta), flat_q = is_near(q2, q0, beta);
    edge->p[1] += within(((p2 + middle) >> 1) - p1, strength) & flat_p & filtered;
    edge->q[1] += within(((q2 + middle) >> 1) - q1, strength) & flat_q & filtered;
    limit -= flat_p + flat_q;
  }
  Words change = within((((q0 - p0) << 2) + (p1 - q1) + all(4)) >> 3, limit) & filtered;
  edge->p[0] += change;
  edge->q[0] -= change;
  return 1;
}

/* Strength 4: edges of pictures that are coded by themselves. */
INLINE int smooth_strongly(Edge *edge, int alpha, int beta, int is_luma) {
  Words filtered = is_filtered(edge, alpha, beta);
  if (!wasm_v128_any_true((v128_t)filtered)) return 0;
  Words p0 = edge->p[0], p1 = edge->p[1], q0 = edge->q[0], q1 = edge->q[1], two = all(2), four = all(4);
  Words new_p0 = ((p1 << 1) + p0 + q1 + two) >> 2, new_q0 = ((q1 << 1) + q0 + p1 + two) >> 2;
  if (is_luma) {
    Words p2 = edge->p[2], q2 = edge->q[2], both = p0 + q0;
    Words small = is_near(p0, q0, (alpha >> 2) + 2) & filtered;
    Words flat_p = small & is_near(p2, p0, beta), flat_q = small & is_near(q2, q0, beta);
    new_p0 = choose(flat_p, (p2 + ((p1 + both) << 1) + q1 + four) >> 3, new_p0);
    new_q0 = choose(flat_q, (q2 + ((q1 + both) << 1) + p1 + four) >> 3, new_q0);
    edge->p[1] = choose(flat_p, (p2 + p1 + both + two) >> 2, p1);
    edge->q[1] = choose(flat_q, (q2 + q1 + both + two) >> 2, q1);
    edge->p[2] = choose(flat_p, ((edge->p[3] + p2) * two + p2 + p1 + both + four) >> 3, p2);
    edge->q[2] = choose(flat_q, ((edge->q[3] + q2) * two + q2 + q1 + both + four) >> 3, q2);
  }
  edge->p[0] = choose(filtered, new_p0, p0);
  edge->q[0] = choose(filtered, new_q0, q0);
  return 1;
}

/* One strength for four places of luma; two of chroma. */
INLINE Words strengths(const int8_t *each, int is_luma) {
  return is_luma ? (Words)wasm_i16x8_make(each[0], each[0], each[0], each[0], each[1], each[1], each[1], each[1])
                 : (Words)wasm_i16x8_make(each[0], each[0], each[1], each[1], each[2], each[2], each[3], each[3]);
}

static void rows_luma(uint8_t *at, ptrdiff_t stride, int alpha, int beta, int8_t *strength) {
  for (int i = 0; i < 2; i++) {
    Edge edge = edge_between_rows(at + 8 * i, stride, 3);
    if (smooth(&edge, alpha, beta, strengths(strength + 2 * i, 1), 1)) store_rows(&edge, at + 8 * i, stride, 2);
  }
}

static void columns_luma(uint8_t *at, ptrdiff_t stride, int alpha, int beta, int8_t *strength) {
  for (int i = 0; i < 2; i++) {
    Edge edge = edge_between_columns(at + 8 * i * stride, stride);
    if (smooth(&edge, alpha, beta, strengths(strength + 2 * i, 1), 1)) store_columns(&edge, at + 8 * i * stride, stride);
  }
}

static void rows_luma_strongly(uint8_t *at, ptrdiff_t stride, int alpha, int beta) {
  for (int i = 0; i < 2; i++) {
    Edge edge = edge_between_rows(at + 8 * i, stride, 4);
    if (smooth_strongly(&edge, alpha, beta, 1)) store_rows(&edge, at + 8 * i, stride, 3);
  }
}

static void columns_luma_strongly(uint8_t *at, ptrdiff_t stride, int alpha, int beta) {
  for (int i = 0; i < 2; i++) {
    Edge edge = edge_between_columns(at + 8 * i * stride, stride);
    if (smooth_strongly(&edge, alpha, beta, 1)) store_columns(&edge, at + 8 * i * stride, stride);
  }
}

static void rows_chroma(uint8_t *at, ptrdiff_t stride, int alpha, int beta, int8_t *strength) {
  Edge edge = edge_between_rows(at, stride, 2);
  if (smooth(&edge, alpha, beta, strengths(strength, 0), 0)) store_rows(&edge, at, stride, 1);
}

static void columns_chroma(uint8_t *at, ptrdiff_t stride, int alpha, int beta, int8_t *strength) {
  Edge edge = edge_between_columns(at, stride);
  if (smooth(&edge, alpha, beta, strengths(strength, 0), 0)) store_columns(&edge, at, stride);
}

static void rows_chroma_strongly(uint8_t *at, ptrdiff_t stride, int alpha, int beta) {
  Edge edge = edge_between_rows(at, stride, 2);
  if (smooth_strongly(&edge, alpha, beta, 0)) store_rows(&edge, at, stride, 1);
}

static void columns_chroma_strongly(uint8_t *at, ptrdiff_t stride, int alpha, int beta) {
  Edge edge = edge_between_columns(at, stride);
  if (smooth_strongly(&edge, alpha, beta, 0)) store_columns(&edge, at, stride);
}

/* ---- Transforms: what is left over is added to the picture, and the block emptied --------------------------------- */

INLINE void transpose_words(Words rows[8]) {
  v128_t twos[8], fours[8];
  for (int i = 0; i < 4; i++) {
    v128_t a = (v128_t)rows[i], b = (v128_t)rows[i + 4];
    twos[2 * i] = wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    twos[2 * i + 1] = wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  }
  for (int i = 0; i < 4; i++) {
    v128_t a = twos[i], b = twos[i + 4];
    fours[2 * i] = wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    fours[2 * i + 1] = wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  }
  for (int i = 0; i < 4; i++) {
    v128_t a = fours[i], b = fours[i + 4];
    rows[2 * i] = (Words)wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    rows[2 * i + 1] = (Words)wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  }
}

INLINE void transform8(Words b[8]) {
  Words even[4], odd[4];
  Words sum = b[0] + b[4], difference = b[0] - b[4], c = (b[2] >> 1) - b[6], d = (b[6] >> 1) + b[2];
  even[0] = sum + d;
  even[1] = difference + c;
  even[2] = difference - c;
  even[3] = sum - d;
  Words e = b[5] - b[3] - b[7] - (b[7] >> 1), f = b[1] + b[7] - b[3] - (b[3] >> 1);
  Words g = b[7] - b[1] + b[5] + (b[5] >> 1), h = b[3] + b[5] + b[1] + (b[1] >> 1);
  odd[0] = h - (e >> 2);
  odd[1] = (f >> 2) - g;
  odd[2] = f + (g >> 2);
  odd[3] = (h >> 2) + e;
  for (int i = 0; i < 4; i++) {
    b[i] = even[i] + odd[i];
    b[7 - i] = even[i] - odd[i];
  }
}

INLINE void add8(uint8_t *to, int16_t *block, ptrdiff_t stride) {
  Words b[8];
  memcpy(b, block, sizeof b);
  b[0][0] += 32;
  transform8(b);
  transpose_words(b);
  transform8(b);
  for (int i = 0; i < 8; i++) store(to + i * stride, bytes(load(to + i * stride) + (b[i] >> 6)));
  memset(block, 0, sizeof b);
}

/* Four numbers in the lower half of each. */
INLINE void transform4(Words b[4]) {
  Words sum = b[0] + b[2], difference = b[0] - b[2], c = (b[1] >> 1) - b[3], d = b[1] + (b[3] >> 1);
  b[0] = sum + d;
  b[1] = difference + c;
  b[2] = difference - c;
  b[3] = sum - d;
}

INLINE Words load_four(const uint8_t *from) {
  return (Words)wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(from));
}

INLINE void add4(uint8_t *to, int16_t *block, ptrdiff_t stride) {
  Words b[4];
  for (int i = 0; i < 4; i++) b[i] = (Words)wasm_v128_load64_zero(block + 4 * i);
  b[0][0] += 32;
  transform4(b);
  v128_t twos[2], fours[2];
  for (int i = 0; i < 2; i++)
    twos[i] = wasm_i16x8_shuffle((v128_t)b[2 * i], (v128_t)b[2 * i + 1], 0, 8, 1, 9, 2, 10, 3, 11);
  fours[0] = wasm_i32x4_shuffle(twos[0], twos[1], 0, 4, 1, 5);
  fours[1] = wasm_i32x4_shuffle(twos[0], twos[1], 2, 6, 3, 7);
  for (int i = 0; i < 2; i++) {
    b[2 * i] = (Words)fours[i];
    b[2 * i + 1] = (Words)wasm_i64x2_shuffle(fours[i], fours[i], 1, 1);
  }
  transform4(b);
  for (int i = 0; i < 4; i++)
    wasm_v128_store32_lane(to + i * stride, bytes(load_four(to + i * stride) + (b[i] >> 6)), 0);
  memset(block, 0, 16 * sizeof *block);
}

/* Blocks whose only number is the first. */
INLINE void add_flat(uint8_t *to, int16_t *block, ptrdiff_t stride, int side) {
  Words value = all((block[0] + 32) >> 6);
  block[0] = 0;
  for (int i = 0; i < side; i++, to += stride) {
    if (side == 8) store(to, bytes(load(to) + value));
    else wasm_v128_store32_lane(to, bytes(load_four(to) + value), 0);
  }
}

static void add_4(uint8_t *to, int16_t *block, int stride) { add4(to, block, stride); }
static void add_8(uint8_t *to, int16_t *block, int stride) { add8(to, block, stride); }
static void add_flat_4(uint8_t *to, int16_t *block, int stride) { add_flat(to, block, stride, 4); }
static void add_flat_8(uint8_t *to, int16_t *block, int stride) { add_flat(to, block, stride, 8); }

/* `counts` tells how many numbers of a block are not zero. */
static void add_luma_4(uint8_t *to, const int *offsets, int16_t *block, int stride, const uint8_t counts[5 * 8]) {
  for (int i = 0; i < 16; i++, block += 16) {
    int count = counts[scan8[i]];
    if (count == 1 && block[0]) add_flat_4(to + offsets[i], block, stride);
    else if (count) add_4(to + offsets[i], block, stride);
  }
}

static void add_luma_8(uint8_t *to, const int *offsets, int16_t *block, int stride, const uint8_t counts[5 * 8]) {
  for (int i = 0; i < 16; i += 4, block += 64) {
    int count = counts[scan8[i]];
    if (count == 1 && block[0]) add_flat_8(to + offsets[i], block, stride);
    else if (count) add_8(to + offsets[i], block, stride);
  }
}

/* The first numbers come apart here, and are not counted. */
static void add_counted_apart(uint8_t *to, const int *offsets, int16_t *block, int stride, const uint8_t *counts, int from,
                              int blocks) {
  for (int i = from; i < from + blocks; i++) {
    if (counts[scan8[i]]) add_4(to + offsets[i], block + 16 * i, stride);
    else if (block[16 * i]) add_flat_4(to + offsets[i], block + 16 * i, stride);
  }
}

static void add_luma_intra(uint8_t *to, const int *offsets, int16_t *block, int stride, const uint8_t counts[5 * 8]) {
  add_counted_apart(to, offsets, block, stride, counts, 0, 16);
}

static void add_chroma(uint8_t **to, const int *offsets, int16_t *block, int stride, const uint8_t counts[15 * 8]) {
  for (int plane = 0; plane < 2; plane++)
    add_counted_apart(to[plane], offsets, block, stride, counts, 16 * (plane + 1), 4);
}

void __real_ff_h264dsp_init(H264DSPContext *context, int bits, int chroma_format);
void __wrap_ff_h264dsp_init(H264DSPContext *context, int bits, int chroma_format) {
  __real_ff_h264dsp_init(context, bits, chroma_format);
  if (bits != 8) return;
  context->h264_v_loop_filter_luma = rows_luma;
  context->h264_h_loop_filter_luma = columns_luma;
  context->h264_v_loop_filter_luma_intra = rows_luma_strongly;
  context->h264_h_loop_filter_luma_intra = columns_luma_strongly;
  context->h264_v_loop_filter_chroma = rows_chroma;
  context->h264_v_loop_filter_chroma_intra = rows_chroma_strongly;
  context->h264_idct_add = add_4;
  context->h264_idct8_add = add_8;
  context->h264_idct_dc_add = add_flat_4;
  context->h264_idct8_dc_add = add_flat_8;
  context->h264_idct_add16 = add_luma_4;
  context->h264_idct8_add4 = add_luma_8;
  context->h264_idct_add16intra = add_luma_intra;
  /* 4:2:0; other shapes of chroma keep FFmpeg's own. */
  if (chroma_format > 1) return;
  context->h264_h_loop_filter_chroma = columns_chroma;
  context->h264_h_loop_filter_chroma_intra = columns_chroma_strongly;
  context->h264_idct_add8 = add_chroma;
}
