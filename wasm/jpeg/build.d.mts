export function buildJpegCodec(): Promise<{ bytes: Uint8Array; sha256: string }>
