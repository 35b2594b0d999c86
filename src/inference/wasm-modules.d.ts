/** The type of an imported WebAssembly file on Workers. */
declare module '*.wasm' {
  const compiled: WebAssembly.Module
  export default compiled
}

/**
 * The lean decoder of clips, if it was built: `npm run build` writes this file for the bundler. A Worker runs only modules that are imported when
 * it is bundled.
 */
declare module '#video-module' {
  const compiled: WebAssembly.Module | null
  export default compiled
}
