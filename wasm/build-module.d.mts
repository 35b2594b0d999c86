export function buildModule(
  name: 'gallery' | 'inference' | 'jpeg' | 'picture' | 'registration',
): Promise<{ bytes: Uint8Array; sha256: string }>
