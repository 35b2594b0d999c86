/** The type of an imported WebAssembly file on Workers. */
declare module '*.wasm' {
  const compiled: WebAssembly.Module
  export default compiled
}
