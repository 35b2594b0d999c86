#include "pictures.h"

#include <libswscale/swscale.h>
#include <wasm_simd128.h>

static int is_full_range(const AVFrame *frame) {
  return frame->color_range == AVCOL_RANGE_JPEG || frame->format == AV_PIX_FMT_YUVJ420P;
}

/* Four weights in 16.16: red of V, blue of U, green of U and of V, for the narrow range. */
static const int *colour_weights(const AVFrame *frame) {
  return sws_getCoefficients(frame->colorspace == AVCOL_SPC_UNSPECIFIED ? SWS_CS_DEFAULT : frame->colorspace);
}

/* ---- Half the size, the most common case by far: 720p as 640 × 360, and a tenth of the time -------------------------- */

/* Weights in 13 fractional bits, laid out for products of pairs. */
typedef struct {
  v128_t red, blue, green_yu, green_v, black;
} Weights;

enum { WEIGHT_BITS = 13 };

static v128_t pair(int first, int second) {
  return wasm_i16x8_make(first, second, first, second, first, second, first, second);
}

static Weights weights_of(const AVFrame *frame) {
  const int *narrow = colour_weights(frame), full = is_full_range(frame);
  int chroma[4], luma = full ? 1 << WEIGHT_BITS : (255 << WEIGHT_BITS) / 219;
  for (int i = 0; i < 4; i++) {
    int64_t weight = full ? (int64_t)narrow[i] * 224 / 255 : narrow[i];
    chroma[i] = (int)((weight + (1 << (15 - WEIGHT_BITS))) >> (16 - WEIGHT_BITS));
  }
  return (Weights){
      .red = pair(luma, chroma[0]),
      .blue = pair(luma, chroma[1]),
      .green_yu = pair(luma, -chroma[2]),
      .green_v = pair(-chroma[3], 0),
      .black = wasm_i16x8_splat(full ? 0 : 16),
  };
}

static inline v128_t rounded(v128_t low, v128_t high) {
  const v128_t half = wasm_i32x4_const_splat(1 << (WEIGHT_BITS - 1));
  return wasm_i16x8_narrow_i32x4(wasm_i32x4_shr(wasm_i32x4_add(low, half), WEIGHT_BITS),
                                 wasm_i32x4_shr(wasm_i32x4_add(high, half), WEIGHT_BITS));
}

static inline v128_t low_pairs(v128_t a, v128_t b) { return wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11); }
static inline v128_t high_pairs(v128_t a, v128_t b) { return wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15); }

static inline void eight_pixels(const Weights *weights, v128_t y, v128_t u, v128_t v, uint8_t *rgba) {
  v128_t yv[2] = {low_pairs(y, v), high_pairs(y, v)}, yu[2] = {low_pairs(y, u), high_pairs(y, u)};
  v128_t red[2], green[2], blue[2];
  for (int i = 0; i < 2; i++) {
    red[i] = wasm_i32x4_dot_i16x8(yv[i], weights->red);
    blue[i] = wasm_i32x4_dot_i16x8(yu[i], weights->blue);
    v128_t v_alone = wasm_i32x4_dot_i16x8(i ? high_pairs(v, v) : low_pairs(v, v), weights->green_v);
    green[i] = wasm_i32x4_add(wasm_i32x4_dot_i16x8(yu[i], weights->green_yu), v_alone);
  }
  v128_t rb = wasm_u8x16_narrow_i16x8(rounded(red[0], red[1]), rounded(blue[0], blue[1]));
  v128_t ga = wasm_u8x16_narrow_i16x8(rounded(green[0], green[1]), wasm_i16x8_const_splat(255));
  v128_t rg = wasm_i8x16_shuffle(rb, ga, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  v128_t ba = wasm_i8x16_shuffle(rb, ga, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  wasm_v128_store(rgba, low_pairs(rg, ba));
  wasm_v128_store(rgba + 16, high_pairs(rg, ba));
}

/* Pixels are means of four samples of luma; chroma has half the size already. */
static void half_size(const AVFrame *frame, int width, int height, uint8_t *rgba) {
  const Weights weights = weights_of(frame);
  const v128_t middle = wasm_i16x8_const_splat(128), two = wasm_i16x8_const_splat(2);
  for (int row = 0; row < height; row++, rgba += 4 * width) {
    const uint8_t *upper = frame->data[0] + (ptrdiff_t)2 * row * frame->linesize[0];
    const uint8_t *lower = upper + frame->linesize[0];
    const uint8_t *us = frame->data[1] + (ptrdiff_t)row * frame->linesize[1];
    const uint8_t *vs = frame->data[2] + (ptrdiff_t)row * frame->linesize[2];
    for (int column = 0; column < width; column += 8) {
      /* The last eight may be some of those before them again. */
      int at = column + 8 <= width ? column : width - 8;
      v128_t sum = wasm_i16x8_add(wasm_u16x8_extadd_pairwise_u8x16(wasm_v128_load(upper + 2 * at)),
                                  wasm_u16x8_extadd_pairwise_u8x16(wasm_v128_load(lower + 2 * at)));
      v128_t y = wasm_i16x8_sub(wasm_u16x8_shr(wasm_i16x8_add(sum, two), 2), weights.black);
      v128_t u = wasm_i16x8_sub(wasm_u16x8_load8x8(us + at), middle), v = wasm_i16x8_sub(wasm_u16x8_load8x8(vs + at), middle);
      eight_pixels(&weights, y, u, v, rgba + 4 * at);
    }
  }
}

static int is_half_size(const AVFrame *frame, int width, int height) {
  int is_420 = frame->format == AV_PIX_FMT_YUV420P || frame->format == AV_PIX_FMT_YUVJ420P;
  return is_420 && width >= 8 && frame->width == 2 * width && frame->height == 2 * height;
}

/* ---- Any size and format ---------------------------------------------------------------------------------------------- */

static int any_size(const AVFrame *frame, int width, int height, uint8_t *rgba) {
  static struct SwsContext *scaler;
  int flags = width < frame->width ? SWS_AREA : SWS_BILINEAR;
  scaler = sws_getCachedContext(scaler, frame->width, frame->height, frame->format, width, height, AV_PIX_FMT_RGBA, flags,
                                NULL, NULL, NULL);
  if (!scaler) return -1;
  sws_setColorspaceDetails(scaler, colour_weights(frame), is_full_range(frame), sws_getCoefficients(SWS_CS_DEFAULT), 1, 0,
                           1 << 16, 1 << 16);
  uint8_t *planes[4] = {rgba};
  int strides[4] = {width * 4};
  sws_scale(scaler, (const uint8_t *const *)frame->data, frame->linesize, 0, frame->height, planes, strides);
  return 0;
}

int picture_rgba(const AVFrame *frame, int width, int height, uint8_t *rgba) {
  if (!is_half_size(frame, width, height)) return any_size(frame, width, height, rgba);
  half_size(frame, width, height, rgba);
  return 0;
}
