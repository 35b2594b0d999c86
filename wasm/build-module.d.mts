export function buildModule(
  name: 'gallery' | 'inference' | 'jpeg' | 'picture',
): Promise<{ bytes: Uint8Array; sha256: string }>
