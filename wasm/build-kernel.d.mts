export function buildKernel(name: string): Promise<{ bytes: Uint8Array; sha256: string }>
