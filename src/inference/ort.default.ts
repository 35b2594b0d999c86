/** The ONNX runtime on Node, Bun and Deno. */
export * from 'onnxruntime-web'
