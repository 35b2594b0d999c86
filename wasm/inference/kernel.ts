/**
 * The operators of our networks, in AssemblyScript with SIMD. README.md describes the build. The only caller is
 * `src/inference/own/kernel.ts`. No state, no allocation: all addresses are parameters, in bytes.
 *
 * A tensor lies in memory as `[H,W,C]` float32. Its channels are padded to a multiple of four ("lanes"); the values of
 * padding channels are zero. After an operator that does not keep them so, `clearPadding` does.
 * The innermost loops multiply one value, or one pair, of four pixels. Compilers move the loads of a longer body to its beginning;
 * then there are not enough registers for the sums, and a fifth of the time goes into storing and loading them.
 * Every activation is `x < 0 ? slope · x : x` with a slope per channel: 0 is ReLU, 1 changes nothing.
 */

@inline
function activate(x: v128, slope: v128): v128 {
  const zero = f32x4.splat(0)
  return f32x4.add(f32x4.pmax(x, zero), f32x4.mul(f32x4.pmin(x, zero), slope))
}

/** Adds the residual, if there is one, activates and stores four channels of one pixel. */
@inline
function store(out: usize, x: v128, residual: usize, slope: v128): void {
  const sum = residual ? f32x4.add(x, v128.load(residual)) : x
  v128.store(out, activate(sum, slope))
}

/** As `store`, for eight channels, or the first four of them. */
@inline
function storeBoth(
  out: usize,
  x0: v128,
  x1: v128,
  residual: usize,
  slope0: v128,
  slope1: v128,
  both: bool,
): void {
  store(out, x0, residual, slope0)
  if (both) store(out + 16, x1, residual ? residual + 16 : 0, slope1)
}

@inline
function splat(address: usize): v128 {
  return v128.load_splat<u32>(address)
}

@inline
function multiplyAdd(sum: v128, a: v128, b: v128): v128 {
  return f32x4.add(sum, f32x4.mul(a, b))
}

/** Bytes of input pixels that are used for all output channels before the next ones: they stay in the second-level cache. */
const chunkBytes = 49152

/**
 * Convolution over all channels, with residual and activation. The input has its border already.
 * @param input address of the first tap of the first output
 * @param inRow bytes from the taps of an output to those of the output below
 * @param inPixel bytes from the taps of an output to those of the next
 * @param tapRow bytes from one row of taps to the next
 * @param taps rows of taps
 * @param run values in a row of taps: taps × lanes
 * @param weights `[outLanes / 8][taps][run][8]`, rounded up
 * @param bias `[outLanes]`, rounded up to a multiple of 8, as `slope`
 * @param residual `[height,width,outLanes]`, or 0
 * @param out `[height,width,outLanes]`
 */
export function convolve(
  input: usize,
  inRow: usize,
  inPixel: usize,
  tapRow: usize,
  taps: i32,
  run: i32,
  weights: usize,
  bias: usize,
  slope: usize,
  residual: usize,
  out: usize,
  outLanes: i32,
  width: i32,
  height: i32,
): void {
  const outPixel = <usize>outLanes << 2
  const panelBytes = (<usize>taps * run) << 5
  const chunk = max(4, <i32>(chunkBytes / (<usize>(run * taps) << 2)) & ~3)
  const runBytes = <usize>run << 2
  for (let y = 0; y < height; y++) {
    for (let begin = 0; begin < width; begin += chunk) {
      const end = min(width, begin + chunk)
      let panel = weights
      for (let channel = 0; channel < outLanes; channel += 8) {
        const both = channel + 4 < outLanes
        const offset = <usize>channel << 2
        const bias0 = v128.load(bias + offset)
        const bias1 = v128.load(bias + offset, 16)
        const slope0 = v128.load(slope + offset)
        const slope1 = v128.load(slope + offset, 16)
        let x = begin
        while (x < end) {
          // The last tile moves back and computes some pixels a second time, so that there is no shorter tile.
          if (x + 4 > end && end >= 4) x = end - 4
          const place = (<usize>y * width + x) * outPixel + offset
          let to = out + place
          let add = residual ? residual + place : 0
          const taps0 = input + <usize>y * inRow + <usize>x * inPixel
          let w = panel
          if (x + 4 <= end) {
            let a0 = bias0
            let a1 = bias1
            let b0 = bias0
            let b1 = bias1
            let c0 = bias0
            let c1 = bias1
            let d0 = bias0
            let d1 = bias1
            for (let row = 0; row < taps; row++) {
              let a = taps0 + <usize>row * tapRow
              let b = a + inPixel
              let c = b + inPixel
              let d = c + inPixel
              const stop = a + runBytes
              while (a < stop) {
                const w0 = v128.load(w)
                const w1 = v128.load(w, 16)
                let value = v128.load_splat<u32>(a)
                a0 = multiplyAdd(a0, value, w0)
                a1 = multiplyAdd(a1, value, w1)
                value = v128.load_splat<u32>(b)
                b0 = multiplyAdd(b0, value, w0)
                b1 = multiplyAdd(b1, value, w1)
                value = v128.load_splat<u32>(c)
                c0 = multiplyAdd(c0, value, w0)
                c1 = multiplyAdd(c1, value, w1)
                value = v128.load_splat<u32>(d)
                d0 = multiplyAdd(d0, value, w0)
                d1 = multiplyAdd(d1, value, w1)
                w += 32
                a += 4
                b += 4
                c += 4
                d += 4
              }
            }
            storeBoth(to, a0, a1, add, slope0, slope1, both)
            to += outPixel
            if (add) add += outPixel
            storeBoth(to, b0, b1, add, slope0, slope1, both)
            to += outPixel
            if (add) add += outPixel
            storeBoth(to, c0, c1, add, slope0, slope1, both)
            to += outPixel
            if (add) add += outPixel
            storeBoth(to, d0, d1, add, slope0, slope1, both)
            x += 4
          } else {
            let a0 = bias0
            let a1 = bias1
            for (let row = 0; row < taps; row++) {
              let a = taps0 + <usize>row * tapRow
              const stop = a + runBytes
              while (a < stop) {
                const value = splat(a)
                a0 = multiplyAdd(a0, value, v128.load(w))
                a1 = multiplyAdd(a1, value, v128.load(w, 16))
                w += 32
                a += 4
              }
            }
            storeBoth(to, a0, a1, add, slope0, slope1, both)
            x++
          }
        }
        panel += panelBytes
      }
    }
  }
}

/** Rounds to integers by addition: the sum's last bits are the integer. */
const roundingFloat: f32 = 12582912
const roundingBits: i32 = 0x4b400000

/** Four values in steps, as integers. */
@inline
function toSteps(at: usize, steps: v128): v128 {
  return i32x4.sub(multiplyAdd(f32x4.splat(roundingFloat), v128.load(at), steps), i32x4.splat(roundingBits))
}

/** Quantises the taps of one output to integers of at most `inputMax`. Returns the value of one step. */
function quantise(corner: usize, tapRow: usize, taps: i32, runBytes: usize, inputMax: f32, out: usize): f32 {
  // Two at a time: each maximum waits for the one before it.
  let peaks = f32x4.splat(0)
  let others = peaks
  const wholeBytes = runBytes & ~31
  for (let row = 0; row < taps; row++) {
    let at = corner + <usize>row * tapRow
    const stop = at + wholeBytes
    for (; at < stop; at += 32) {
      peaks = f32x4.pmax(peaks, f32x4.abs(v128.load(at)))
      others = f32x4.pmax(others, f32x4.abs(v128.load(at, 16)))
    }
    if (runBytes != wholeBytes) peaks = f32x4.pmax(peaks, f32x4.abs(v128.load(at)))
  }
  peaks = f32x4.pmax(peaks, others)
  peaks = f32x4.pmax(peaks, v128.shuffle<f32>(peaks, peaks, 2, 3, 0, 1))
  peaks = f32x4.pmax(peaks, v128.shuffle<f32>(peaks, peaks, 1, 0, 3, 2))
  const peak = f32x4.extract_lane(peaks, 0)
  const steps = f32x4.splat(peak > 0 ? inputMax / peak : 0)
  for (let row = 0; row < taps; row++) {
    let at = corner + <usize>row * tapRow
    const stop = at + wholeBytes
    for (; at < stop; at += 32, out += 16) {
      v128.store(out, i16x8.narrow_i32x4_s(toSteps(at, steps), toSteps(at + 16, steps)))
    }
    if (runBytes != wholeBytes) {
      const last = toSteps(at, steps)
      v128.store64_lane(out, i16x8.narrow_i32x4_s(last, last), 0)
      out += 8
    }
  }
  return peak / inputMax
}

/**
 * Convolution over all channels as `convolve`, with quantised factors: the input with a step of its own for each output pixel, the
 * weights with a step of its own for each output channel. The sums of products must stay below 2^31.
 * @param inputMax the largest quantised input, at most 32767
 * @param scratch room for `[chunk,taps · run]` int16 and `[chunk]` float32
 * @param chunk pixels that are quantised at once, a multiple of 4
 * @param weights int16 `[outLanes / 8][taps · run / 2][8][2]`, rounded up
 * @param steps the value of one step of each output channel's weights, `[outLanes]`, as `bias`
 */
export function convolveQuantised(
  input: usize,
  inRow: usize,
  inPixel: usize,
  tapRow: usize,
  taps: i32,
  run: i32,
  inputMax: f32,
  scratch: usize,
  chunk: i32,
  weights: usize,
  steps: usize,
  bias: usize,
  slope: usize,
  residual: usize,
  out: usize,
  outLanes: i32,
  width: i32,
  height: i32,
): void {
  const chunks = (width + chunk - 1) / chunk
  for (let y = 0; y < height; y++) {
    for (let i = 0; i < chunks; i++) {
      const begin = i * chunk
      const place = (<usize>y * width + begin) * (<usize>outLanes << 2)
      convolveChunk(
        input + <usize>y * inRow + <usize>begin * inPixel,
        inPixel,
        tapRow,
        taps,
        run,
        inputMax,
        scratch,
        chunk,
        weights,
        steps,
        bias,
        slope,
        residual ? residual + place : 0,
        out + place,
        outLanes,
        min(chunk, width - begin),
      )
    }
  }
}

/** The part of `convolveQuantised` for `count` pixels beside each other. */
function convolveChunk(
  input: usize,
  inPixel: usize,
  tapRow: usize,
  taps: i32,
  run: i32,
  inputMax: f32,
  scratch: usize,
  chunk: i32,
  weights: usize,
  steps: usize,
  bias: usize,
  slope: usize,
  residual: usize,
  out: usize,
  outLanes: i32,
  count: i32,
): void {
  const inRow = <usize>(taps * run) << 1
  const outPixel = <usize>outLanes << 2
  const panelBytes = inRow << 3
  const scales = scratch + <usize>chunk * inRow
  for (let i = 0; i < count; i++) {
    const step = quantise(
      input + <usize>i * inPixel,
      tapRow,
      taps,
      <usize>run << 2,
      inputMax,
      scratch + <usize>i * inRow,
    )
    f32.store(scales + (<usize>i << 2), step)
  }
  let panel = weights
  for (let channel = 0; channel < outLanes; channel += 8) {
    const both = channel + 4 < outLanes
    const offset = <usize>channel << 2
    const bias0 = v128.load(bias + offset)
    const bias1 = v128.load(bias + offset, 16)
    const slope0 = v128.load(slope + offset)
    const slope1 = v128.load(slope + offset, 16)
    const steps0 = v128.load(steps + offset)
    const steps1 = v128.load(steps + offset, 16)
    let x = 0
    while (x < count) {
      if (x + 4 > count && count >= 4) x = count - 4
      const place = <usize>x * outPixel + offset
      let to = out + place
      let add = residual ? residual + place : 0
      let a = scratch + <usize>x * inRow
      const scale = scales + (<usize>x << 2)
      const stop = a + inRow
      let w = panel
      if (x + 4 <= count) {
        let b = a + inRow
        let c = b + inRow
        let d = c + inRow
        let a0 = i32x4.splat(0)
        let a1 = a0
        let b0 = a0
        let b1 = a0
        let c0 = a0
        let c1 = a0
        let d0 = a0
        let d1 = a0
        while (a < stop) {
          const w0 = v128.load(w)
          const w1 = v128.load(w, 16)
          let value = v128.load_splat<u32>(a)
          a0 = i32x4.add(a0, i32x4.dot_i16x8_s(value, w0))
          a1 = i32x4.add(a1, i32x4.dot_i16x8_s(value, w1))
          value = v128.load_splat<u32>(b)
          b0 = i32x4.add(b0, i32x4.dot_i16x8_s(value, w0))
          b1 = i32x4.add(b1, i32x4.dot_i16x8_s(value, w1))
          value = v128.load_splat<u32>(c)
          c0 = i32x4.add(c0, i32x4.dot_i16x8_s(value, w0))
          c1 = i32x4.add(c1, i32x4.dot_i16x8_s(value, w1))
          value = v128.load_splat<u32>(d)
          d0 = i32x4.add(d0, i32x4.dot_i16x8_s(value, w0))
          d1 = i32x4.add(d1, i32x4.dot_i16x8_s(value, w1))
          w += 32
          a += 4
          b += 4
          c += 4
          d += 4
        }
        let step = splat(scale)
        storeBoth(
          to,
          multiplyAdd(bias0, f32x4.convert_i32x4_s(a0), f32x4.mul(steps0, step)),
          multiplyAdd(bias1, f32x4.convert_i32x4_s(a1), f32x4.mul(steps1, step)),
          add,
          slope0,
          slope1,
          both,
        )
        to += outPixel
        if (add) add += outPixel
        step = splat(scale + 4)
        storeBoth(
          to,
          multiplyAdd(bias0, f32x4.convert_i32x4_s(b0), f32x4.mul(steps0, step)),
          multiplyAdd(bias1, f32x4.convert_i32x4_s(b1), f32x4.mul(steps1, step)),
          add,
          slope0,
          slope1,
          both,
        )
        to += outPixel
        if (add) add += outPixel
        step = splat(scale + 8)
        storeBoth(
          to,
          multiplyAdd(bias0, f32x4.convert_i32x4_s(c0), f32x4.mul(steps0, step)),
          multiplyAdd(bias1, f32x4.convert_i32x4_s(c1), f32x4.mul(steps1, step)),
          add,
          slope0,
          slope1,
          both,
        )
        to += outPixel
        if (add) add += outPixel
        step = splat(scale + 12)
        storeBoth(
          to,
          multiplyAdd(bias0, f32x4.convert_i32x4_s(d0), f32x4.mul(steps0, step)),
          multiplyAdd(bias1, f32x4.convert_i32x4_s(d1), f32x4.mul(steps1, step)),
          add,
          slope0,
          slope1,
          both,
        )
        x += 4
      } else {
        let a0 = i32x4.splat(0)
        let a1 = a0
        while (a < stop) {
          const value = splat(a)
          a0 = i32x4.add(a0, i32x4.dot_i16x8_s(value, v128.load(w)))
          a1 = i32x4.add(a1, i32x4.dot_i16x8_s(value, v128.load(w, 16)))
          w += 32
          a += 4
        }
        const step = splat(scale)
        storeBoth(
          to,
          multiplyAdd(bias0, f32x4.convert_i32x4_s(a0), f32x4.mul(steps0, step)),
          multiplyAdd(bias1, f32x4.convert_i32x4_s(a1), f32x4.mul(steps1, step)),
          add,
          slope0,
          slope1,
          both,
        )
        x++
      }
    }
    panel += panelBytes
  }
}

/** One output pixel of a depthwise convolution, all channels, with the taps that lie inside the input. */
function depthwisePixel(
  corner: usize,
  tapRow: usize,
  pixel: usize,
  rowBegin: i32,
  rowEnd: i32,
  columnBegin: i32,
  columnEnd: i32,
  columns: i32,
  weights: usize,
  bias: usize,
  slope: usize,
  out: usize,
): void {
  for (let channel: usize = 0; channel < pixel; channel += 16) {
    let sum = v128.load(bias + channel)
    for (let row = rowBegin; row < rowEnd; row++) {
      let at = corner + <usize>row * tapRow + <usize>columnBegin * pixel + channel
      let w = weights + <usize>(row * columns + columnBegin) * pixel + channel
      for (let column = columnBegin; column < columnEnd; column++) {
        sum = multiplyAdd(sum, v128.load(at), v128.load(w))
        at += pixel
        w += pixel
      }
    }
    v128.store(out + channel, activate(sum, v128.load(slope + channel)))
  }
}

/** A run of output pixels of a 3 × 3 depthwise convolution whose columns of taps all lie inside the input. */
function depthwiseRun3(
  top: usize,
  middle: usize,
  bottom: usize,
  step: usize,
  pixel: usize,
  weights: usize,
  bias: usize,
  slope: usize,
  out: usize,
  count: i32,
): void {
  const second = pixel << 1
  for (let channel: usize = 0; channel < pixel; channel += 16) {
    let w = weights + channel
    const w0 = v128.load(w)
    const w1 = v128.load(w + pixel)
    const w2 = v128.load(w + second)
    w += second + pixel
    const w3 = v128.load(w)
    const w4 = v128.load(w + pixel)
    const w5 = v128.load(w + second)
    w += second + pixel
    const w6 = v128.load(w)
    const w7 = v128.load(w + pixel)
    const w8 = v128.load(w + second)
    const start = v128.load(bias + channel)
    const slopes = v128.load(slope + channel)
    let a = top + channel
    let b = middle + channel
    let c = bottom + channel
    let to = out + channel
    for (let i = 0; i < count; i++) {
      let sum = multiplyAdd(start, v128.load(a), w0)
      let other = f32x4.mul(v128.load(b), w3)
      sum = multiplyAdd(sum, v128.load(a + pixel), w1)
      other = multiplyAdd(other, v128.load(b + pixel), w4)
      sum = multiplyAdd(sum, v128.load(a + second), w2)
      other = multiplyAdd(other, v128.load(b + second), w5)
      sum = multiplyAdd(sum, v128.load(c), w6)
      other = multiplyAdd(other, v128.load(c + pixel), w7)
      sum = multiplyAdd(sum, v128.load(c + second), w8)
      v128.store(to, activate(f32x4.add(sum, other), slopes))
      a += step
      b += step
      c += step
      to += pixel
    }
  }
}

/**
 * Convolution of each channel by itself, with activation. Taps outside the input count as zeros.
 * @param input `[inHeight,inWidth,lanes]`
 * @param weights `[rows,columns,lanes]`
 * @param zeros a row of the input, all zeros
 * @param out `[height,width,lanes]`
 */
export function convolveDepthwise(
  input: usize,
  inWidth: i32,
  inHeight: i32,
  lanes: i32,
  rows: i32,
  columns: i32,
  stride: i32,
  columnStride: i32,
  padTop: i32,
  padLeft: i32,
  weights: usize,
  bias: usize,
  slope: usize,
  zeros: usize,
  out: usize,
  width: i32,
  height: i32,
): void {
  const pixel = <usize>lanes << 2
  const tapRow = <usize>inWidth * pixel
  // The outputs whose columns of taps all lie inside the input.
  const begin = min(width, (padLeft + columnStride - 1) / columnStride)
  const room = inWidth - columns + padLeft
  const end = room < 0 ? begin : max(begin, min(width, room / columnStride + 1))
  for (let y = 0; y < height; y++) {
    const top = y * stride - padTop
    const rowBegin = max(0, -top)
    const rowEnd = min(rows, inHeight - top)
    const to = out + <usize>y * width * pixel
    const isFast = rows == 3 && columns == 3
    for (let x = 0; x < width; x++) {
      const left = x * columnStride - padLeft
      const corner = input + (top * inWidth + left) * <i32>pixel
      if (isFast && x == begin && end > begin) {
        depthwiseRun3(
          rowBegin > 0 ? zeros : corner,
          rowBegin > 1 || rowEnd < 2 ? zeros : corner + tapRow,
          rowEnd < 3 ? zeros : corner + 2 * tapRow,
          <usize>columnStride * pixel,
          pixel,
          weights,
          bias,
          slope,
          to + <usize>x * pixel,
          end - begin,
        )
        x = end - 1
      } else {
        depthwisePixel(
          corner,
          tapRow,
          pixel,
          rowBegin,
          rowEnd,
          max(0, -left),
          min(columns, inWidth - left),
          columns,
          weights,
          bias,
          slope,
          to + <usize>x * pixel,
        )
      }
    }
  }
}

/**
 * The largest value of each window, or the mean. Windows end at the end of the input.
 * @param input `[inHeight,inWidth,lanes]`
 * @param out `[height,width,lanes]`
 */
export function pool(
  isMean: bool,
  input: usize,
  inWidth: i32,
  inHeight: i32,
  lanes: i32,
  size: i32,
  stride: i32,
  out: usize,
  width: i32,
  height: i32,
): void {
  const pixel = <usize>lanes << 2
  for (let y = 0; y < height; y++) {
    const rowEnd = min(y * stride + size, inHeight)
    for (let x = 0; x < width; x++) {
      const columnEnd = min(x * stride + size, inWidth)
      const count = (rowEnd - y * stride) * (columnEnd - x * stride)
      const share = f32x4.splat(<f32>1 / <f32>count)
      for (let channel: usize = 0; channel < pixel; channel += 16) {
        let value = isMean ? f32x4.splat(0) : f32x4.splat(-f32.MAX_VALUE)
        for (let row = y * stride; row < rowEnd; row++) {
          let at = input + <usize>(row * inWidth + x * stride) * pixel + channel
          for (let column = x * stride; column < columnEnd; column++) {
            const next = v128.load(at)
            value = isMean ? f32x4.add(value, next) : f32x4.pmax(value, next)
            at += pixel
          }
        }
        v128.store(out + channel, isMean ? f32x4.mul(value, share) : value)
      }
      out += pixel
    }
  }
}

/** Sum of two tensors `[pixels,lanes]`, with activation. */
export function add(a: usize, b: usize, slope: usize, out: usize, pixels: i32, lanes: i32): void {
  const pixel = <usize>lanes << 2
  for (let i = 0; i < pixels; i++) {
    for (let channel: usize = 0; channel < pixel; channel += 16) {
      const sum = f32x4.add(v128.load(a + channel), v128.load(b + channel))
      v128.store(out + channel, activate(sum, v128.load(slope + channel)))
    }
    a += pixel
    b += pixel
    out += pixel
  }
}

/** Multiplies `[pixels,lanes]` by a factor per channel and adds a number per channel, with activation. */
export function scale(
  input: usize,
  factor: usize,
  shift: usize,
  slope: usize,
  out: usize,
  pixels: i32,
  lanes: i32,
): void {
  const pixel = <usize>lanes << 2
  for (let i = 0; i < pixels; i++) {
    for (let channel: usize = 0; channel < pixel; channel += 16) {
      const value = multiplyAdd(v128.load(shift + channel), v128.load(input + channel), v128.load(factor + channel))
      v128.store(out + channel, activate(value, v128.load(slope + channel)))
    }
    input += pixel
    out += pixel
  }
}

/** Product of two tensors of `count` values, a multiple of 4. */
export function multiply(a: usize, b: usize, out: usize, count: i32): void {
  for (let at: usize = 0; at < <usize>count << 2; at += 16) {
    v128.store(out + at, f32x4.mul(v128.load(a + at), v128.load(b + at)))
  }
}

/** Limits `count` values, a multiple of 4. */
export function clip(input: usize, low: f32, high: f32, out: usize, count: i32): void {
  const least = f32x4.splat(low)
  const most = f32x4.splat(high)
  for (let at: usize = 0; at < <usize>count << 2; at += 16) {
    v128.store(out + at, f32x4.pmin(f32x4.pmax(v128.load(input + at), least), most))
  }
}

/** The square root of `count` values, a multiple of 4. */
export function squareRoot(input: usize, out: usize, count: i32): void {
  for (let at: usize = 0; at < <usize>count << 2; at += 16) v128.store(out + at, f32x4.sqrt(v128.load(input + at)))
}

/** The exponential function, to seven digits: the fraction of the power of two by its Taylor series. */
function exponential(x: v128): v128 {
  const limited = f32x4.pmin(f32x4.pmax(x, f32x4.splat(-87)), f32x4.splat(88))
  const power = f32x4.nearest(f32x4.mul(limited, f32x4.splat(1.44269504)))
  // The logarithm of 2 in two parts, the first of which has few digits.
  let rest = f32x4.sub(limited, f32x4.mul(power, f32x4.splat(0.693359375)))
  rest = f32x4.add(rest, f32x4.mul(power, f32x4.splat(0.000212194440)))
  let sum = f32x4.splat(1.0 / 5040)
  sum = multiplyAdd(f32x4.splat(1.0 / 720), sum, rest)
  sum = multiplyAdd(f32x4.splat(1.0 / 120), sum, rest)
  sum = multiplyAdd(f32x4.splat(1.0 / 24), sum, rest)
  sum = multiplyAdd(f32x4.splat(1.0 / 6), sum, rest)
  sum = multiplyAdd(f32x4.splat(0.5), sum, rest)
  sum = multiplyAdd(f32x4.splat(1), sum, rest)
  sum = multiplyAdd(f32x4.splat(1), sum, rest)
  const exponent = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(power), i32x4.splat(127)), 23)
  return f32x4.mul(sum, exponent)
}

/** Shares of values beside each other that sum to 1. */
function share(input: usize, out: usize, count: i32): void {
  const bytes = <usize>count << 2
  const whole = bytes & ~15
  let peak = f32.load(input)
  for (let at: usize = 4; at < bytes; at += 4) peak = max(peak, f32.load(input + at))
  const peaks = f32x4.splat(peak)
  let sums = f32x4.splat(0)
  for (let at: usize = 0; at < whole; at += 16) {
    const shares = exponential(f32x4.sub(v128.load(input + at), peaks))
    v128.store(out + at, shares)
    sums = f32x4.add(sums, shares)
  }
  let sum =
    f32x4.extract_lane(sums, 0) +
    f32x4.extract_lane(sums, 1) +
    f32x4.extract_lane(sums, 2) +
    f32x4.extract_lane(sums, 3)
  for (let at = whole; at < bytes; at += 4) {
    const one = f32x4.extract_lane(exponential(f32x4.splat(f32.load(input + at) - peak)), 0)
    f32.store(out + at, one)
    sum += one
  }
  const total = f32x4.splat(sum)
  for (let at: usize = 0; at < whole; at += 16) v128.store(out + at, f32x4.div(v128.load(out + at), total))
  for (let at = whole; at < bytes; at += 4) f32.store(out + at, f32.load(out + at) / sum)
}

/** Shares of each pixel's channels that sum to 1. Padding channels stay as they are. */
export function softmax(input: usize, out: usize, channels: i32, lanes: i32, pixels: i32): void {
  for (let i = 0; i < pixels; i++) {
    share(input, out, channels)
    input += <usize>lanes << 2
    out += <usize>lanes << 2
  }
}

/** `factor · x · clip(x / 6 + 1/2, 0, 1) + shift` of `count` values, a multiple of 4. */
export function hardSwish(input: usize, factor: f32, shift: f32, out: usize, count: i32): void {
  const factors = f32x4.splat(factor)
  const shifts = f32x4.splat(shift)
  const zero = f32x4.splat(0)
  const one = f32x4.splat(1)
  const half = f32x4.splat(0.5)
  const sixth = f32x4.splat(1.0 / 6)
  for (let at: usize = 0; at < <usize>count << 2; at += 16) {
    const x = v128.load(input + at)
    const gate = f32x4.pmin(f32x4.pmax(multiplyAdd(half, x, sixth), zero), one)
    v128.store(out + at, multiplyAdd(shifts, f32x4.mul(x, gate), factors))
  }
}

/** Each pixel's channels minus their mean, divided by their deviation, times a gain and plus a bias per channel. */
export function normalise(
  input: usize,
  gain: usize,
  bias: usize,
  epsilon: f32,
  out: usize,
  pixels: i32,
  channels: i32,
  lanes: i32,
): void {
  const bytes = <usize>channels << 2
  const pixel = <usize>lanes << 2
  for (let i = 0; i < pixels; i++) {
    let sum: f32 = 0
    for (let at: usize = 0; at < bytes; at += 4) sum += f32.load(input + at)
    const mean = sum / <f32>channels
    sum = 0
    for (let at: usize = 0; at < bytes; at += 4) {
      const difference = f32.load(input + at) - mean
      sum += difference * difference
    }
    const factor = <f32>1 / sqrt<f32>(sum / <f32>channels + epsilon)
    // The gain and bias of padding channels are zero.
    for (let at: usize = 0; at < pixel; at += 16) {
      const centred = f32x4.sub(v128.load(input + at), f32x4.splat(mean))
      const value = f32x4.mul(f32x4.mul(centred, f32x4.splat(factor)), v128.load(gain + at))
      v128.store(out + at, f32x4.add(value, v128.load(bias + at)))
    }
    input += pixel
    out += pixel
  }
}

/**
 * Attention among all pixels: for each pixel and head the mean of all values, weighted by the shares of the products of its query and
 * all keys.
 * @param input `[pixels,inLanes]`: queries, keys and values, `channels` each, those of a head beside each other
 * @param scratch room for `[pixels]`
 * @param out `[pixels,outLanes]`, cleared
 */
export function attend(
  input: usize,
  inLanes: i32,
  pixels: i32,
  channels: i32,
  heads: i32,
  factor: f32,
  scratch: usize,
  out: usize,
  outLanes: i32,
): void {
  const part = <usize>channels << 2
  const size = (<usize>channels << 2) / heads
  const inPixel = <usize>inLanes << 2
  for (let i = 0; i < pixels; i++) {
    for (let head = 0; head < heads; head++) {
      const offset = <usize>head * size
      const query = input + <usize>i * inPixel + offset
      let key = input + part + offset
      for (let j = 0; j < pixels; j++) {
        let sum: f32 = 0
        for (let at: usize = 0; at < size; at += 4) sum += f32.load(query + at) * f32.load(key + at)
        f32.store(scratch + (<usize>j << 2), sum * factor)
        key += inPixel
      }
      share(scratch, scratch, pixels)
      const to = out + <usize>i * (<usize>outLanes << 2) + offset
      let value = input + 2 * part + offset
      for (let j = 0; j < pixels; j++) {
        const weight = f32.load(scratch + (<usize>j << 2))
        for (let at: usize = 0; at < size; at += 4) {
          f32.store(to + at, f32.load(to + at) + weight * f32.load(value + at))
        }
        value += inPixel
      }
    }
  }
}

/** The logistic function of `count` values, a multiple of 4. */
export function sigmoid(input: usize, out: usize, count: i32): void {
  const one = f32x4.splat(1)
  for (let at: usize = 0; at < <usize>count << 2; at += 16) {
    const odds = exponential(f32x4.neg(v128.load(input + at)))
    v128.store(out + at, f32x4.div(one, f32x4.add(one, odds)))
  }
}

@inline
function copyPixel(from: usize, to: usize, bytes: usize): void {
  for (let at: usize = 0; at < bytes; at += 16) v128.store(to + at, v128.load(from + at))
}

/** Doubles both sides: `[height,width,lanes]` to `[2·height,2·width,lanes]`. */
export function double(input: usize, out: usize, width: i32, height: i32, lanes: i32): void {
  const pixel = <usize>lanes << 2
  const rowBytes = (<usize>width * pixel) << 1
  for (let y = 0; y < height; y++) {
    const row = out
    for (let x = 0; x < width; x++) {
      copyPixel(input, out, pixel)
      copyPixel(input, out + pixel, pixel)
      input += pixel
      out += pixel << 1
    }
    memory.copy(out, row, rowBytes)
    out += rowBytes
  }
}

/** The part of `joinPlanes` for up to four channels. */
function joinFour(planes: usize, channels: i32, width: i32, height: i32, out: usize, outRow: usize, outPixel: usize): bool {
  const plane = <usize>(width * height) << 2
  const zero = f32x4.splat(0)
  // Zero times infinity, or what is no number, is no number.
  let check = zero
  let other = zero
  for (let y = 0; y < height; y++) {
    let from = planes + (<usize>(y * width) << 2)
    let to = out + <usize>y * outRow
    for (let x = 0; x < width; x += 4) {
      const a = v128.load(from)
      const b = channels > 1 ? v128.load(from + plane) : zero
      const c = channels > 2 ? v128.load(from + 2 * plane) : zero
      const d = channels > 3 ? v128.load(from + 3 * plane) : zero
      const abLow = v128.shuffle<f32>(a, b, 0, 4, 1, 5)
      const abHigh = v128.shuffle<f32>(a, b, 2, 6, 3, 7)
      const cdLow = v128.shuffle<f32>(c, d, 0, 4, 1, 5)
      const cdHigh = v128.shuffle<f32>(c, d, 2, 6, 3, 7)
      const pixel0 = v128.shuffle<f64>(abLow, cdLow, 0, 2)
      const pixel1 = v128.shuffle<f64>(abLow, cdLow, 1, 3)
      const pixel2 = v128.shuffle<f64>(abHigh, cdHigh, 0, 2)
      const pixel3 = v128.shuffle<f64>(abHigh, cdHigh, 1, 3)
      const count = width - x
      v128.store(to, pixel0)
      check = multiplyAdd(check, pixel0, zero)
      if (count > 1) {
        v128.store(to + outPixel, pixel1)
        other = multiplyAdd(other, pixel1, zero)
      }
      if (count > 2) {
        v128.store(to + 2 * outPixel, pixel2)
        check = multiplyAdd(check, pixel2, zero)
      }
      if (count > 3) {
        v128.store(to + 3 * outPixel, pixel3)
        other = multiplyAdd(other, pixel3, zero)
      }
      from += 16
      to += 4 * outPixel
    }
  }
  const sum = f32x4.add(check, other)
  return !v128.any_true(f32x4.ne(sum, sum))
}

/**
 * Puts the planes of a picture together to pixels, with zeros in the padding channels.
 * @param planes `[channels,height,width]`; up to 12 bytes behind them are read
 * @param out address of the first pixel
 * @param outRow bytes from one row of pixels to the next
 * @returns whether all values are finite
 */
export function joinPlanes(
  planes: usize,
  channels: i32,
  width: i32,
  height: i32,
  out: usize,
  outRow: usize,
  outPixel: usize,
): bool {
  const fourPlanes = <usize>(width * height) << 4
  let areFinite = true
  for (let channel = 0; channel < channels; channel += 4, planes += fourPlanes, out += 16) {
    areFinite = joinFour(planes, channels - channel, width, height, out, outRow, outPixel) && areFinite
  }
  return areFinite
}

/**
 * Copies `[height,width,lanes]` into a larger tensor, which the caller has cleared.
 * @param out address of the first pixel
 * @param outRow bytes from one row of the larger tensor to the next
 * @param outPixel bytes of a pixel there
 */
export function place(
  input: usize,
  width: i32,
  height: i32,
  lanes: i32,
  out: usize,
  outRow: usize,
  outPixel: usize,
): void {
  const pixel = <usize>lanes << 2
  for (let y = 0; y < height; y++) {
    let to = out + <usize>y * outRow
    for (let x = 0; x < width; x++) {
      copyPixel(input, to, pixel)
      input += pixel
      to += outPixel
    }
  }
}

/** Sets the padding channels of `[pixels,lanes]` to zero. */
export function clearPadding(tensor: usize, lanes: i32, channels: i32, pixels: i32): void {
  for (let i = 0; i < pixels; i++) {
    for (let channel = channels; channel < lanes; channel++) f32.store(tensor + (<usize>channel << 2), 0)
    tensor += <usize>lanes << 2
  }
}

/** Copies the channels of each pixel to other places among more of them. Padding channels after the last stay as they are. */
export function copyChannels(
  input: usize,
  lanes: i32,
  channels: i32,
  out: usize,
  outLanes: i32,
  pixels: i32,
): void {
  for (let i = 0; i < pixels; i++) {
    for (let channel: usize = 0; channel < <usize>channels << 2; channel += 4) {
      f32.store(out + channel, f32.load(input + channel))
    }
    input += <usize>lanes << 2
    out += <usize>outLanes << 2
  }
}
