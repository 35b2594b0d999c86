export function buildKernel(): Promise<{ bytes: Uint8Array; sha256: string }>
