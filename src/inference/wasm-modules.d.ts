/** What an import of a WebAssembly file gives on Workers. */
declare module '*.wasm' {
  const compiled: WebAssembly.Module
  export default compiled
}
