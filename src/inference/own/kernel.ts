/** Typed access to the WebAssembly module built from `wasm/inference`. Addresses and row lengths are in bytes. */
interface KernelExports {
  convolve(
    input: number,
    inRow: number,
    inPixel: number,
    tapRow: number,
    taps: number,
    run: number,
    weights: number,
    bias: number,
    slope: number,
    residual: number,
    out: number,
    outLanes: number,
    width: number,
    height: number,
  ): void
  convolveQuantised(
    input: number,
    inRow: number,
    inPixel: number,
    tapRow: number,
    taps: number,
    run: number,
    inputMax: number,
    scratch: number,
    chunk: number,
    weights: number,
    steps: number,
    bias: number,
    slope: number,
    residual: number,
    out: number,
    outLanes: number,
    width: number,
    height: number,
  ): void
  convolveDepthwise(
    input: number,
    inWidth: number,
    inHeight: number,
    lanes: number,
    rows: number,
    columns: number,
    stride: number,
    columnStride: number,
    padTop: number,
    padLeft: number,
    weights: number,
    bias: number,
    slope: number,
    zeros: number,
    out: number,
    width: number,
    height: number,
  ): void
  pool(
    isMean: boolean,
    input: number,
    inWidth: number,
    inHeight: number,
    lanes: number,
    size: number,
    stride: number,
    out: number,
    width: number,
    height: number,
  ): void
  add(a: number, b: number, slope: number, out: number, pixels: number, lanes: number): void
  scale(
    input: number,
    factor: number,
    shift: number,
    slope: number,
    out: number,
    pixels: number,
    lanes: number,
  ): void
  multiply(a: number, b: number, out: number, count: number): void
  clip(input: number, low: number, high: number, out: number, count: number): void
  squareRoot(input: number, out: number, count: number): void
  softmax(input: number, out: number, channels: number, lanes: number, pixels: number): void
  hardSwish(input: number, factor: number, shift: number, out: number, count: number): void
  normalise(
    input: number,
    gain: number,
    bias: number,
    epsilon: number,
    out: number,
    pixels: number,
    channels: number,
    lanes: number,
  ): void
  attend(
    input: number,
    inLanes: number,
    pixels: number,
    channels: number,
    heads: number,
    factor: number,
    scratch: number,
    out: number,
    outLanes: number,
  ): void
  sigmoid(input: number, out: number, count: number): void
  double(input: number, out: number, width: number, height: number, lanes: number): void
  place(
    input: number,
    width: number,
    height: number,
    lanes: number,
    out: number,
    outRow: number,
    outPixel: number,
  ): void
  joinPlanes(
    planes: number,
    channels: number,
    width: number,
    height: number,
    out: number,
    outRow: number,
    outPixel: number,
  ): number
  clearPadding(tensor: number, lanes: number, channels: number, pixels: number): void
  copyChannels(
    input: number,
    lanes: number,
    channels: number,
    out: number,
    outLanes: number,
    pixels: number,
  ): void
}

const pageBytes = 65_536

/** The kernel with a memory of its own, which grows as needed. */
export interface InferenceKernel extends KernelExports {
  memory: WebAssembly.Memory
  /** Makes room up to an address. */
  reserve(end: number): void
}

export function openInferenceKernel(module: WebAssembly.Module): InferenceKernel {
  const memory = new WebAssembly.Memory({ initial: 1 })
  const { exports } = new WebAssembly.Instance(module, { env: { memory } })
  return {
    ...(exports as unknown as KernelExports),
    memory,
    reserve(end) {
      const missing = end - memory.buffer.byteLength
      if (missing > 0) memory.grow(Math.ceil(missing / pageBytes))
    },
  }
}
