export function buildModule(
  name: 'gallery' | 'inference' | 'jpeg',
): Promise<{ bytes: Uint8Array; sha256: string }>
