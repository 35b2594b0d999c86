/** Placeholder for the runtime's binary; the hook below recognises it by its first byte and length. */
const placeholder = new Uint8Array([0x4f, 0x52, 0x54, 0x21])

const isPlaceholder = (source: unknown): boolean =>
  ArrayBuffer.isView(source) &&
  source.byteLength === placeholder.length &&
  (source as Uint8Array)[0] === placeholder[0]

/**
 * Makes onnxruntime-web use a module that is already compiled: once for all worker threads of a server, or at deployment on
 * Workers. The library accepts only bytes, so the hook replaces `WebAssembly.instantiate`.
 */
export function handOverModule(
  settings: { wasmBinary?: ArrayBufferLike | Uint8Array },
  compiled: WebAssembly.Module,
): void {
  const instantiate = WebAssembly.instantiate as (
    source: unknown,
    imports?: WebAssembly.Imports,
  ) => Promise<unknown>
  const hooked = (source: unknown, imports?: WebAssembly.Imports): Promise<unknown> =>
    isPlaceholder(source)
      ? instantiate(compiled, imports).then((instance) => ({ instance, module: compiled }))
      : instantiate(source, imports)
  Object.assign(WebAssembly, { instantiate: hooked })
  settings.wasmBinary = placeholder.buffer
}
