/** Tells the formats of the HEIF family by the brands of a file. */
import { asciiText } from '../../ascii.ts'

const pictureBrand = /^(hei[cxmsf]|hev[cx]|mif1|msf1|avi[fs])$/
/** Bytes within which brands are looked for. */
const brandsEnd = 40

/** @returns `null` for files that are no pictures. A general brand may come before the one that tells AVIF. */
export function sniffHeif(bytes: Uint8Array): 'avif' | 'heic' | null {
  if (asciiText(bytes, 4, 8) !== 'ftyp' || !pictureBrand.test(asciiText(bytes, 8, 12))) return null
  return /avi[fs]/.test(asciiText(bytes, 8, brandsEnd)) ? 'avif' : 'heic'
}
