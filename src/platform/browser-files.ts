/** Pages, scripts and styles for browsers, built from `web/` and `client/`, as one JSON text. */
import { bytesFromBase64, encodeBase64 } from '../base64.ts'

/** A file that browsers load. */
export interface BrowserFile {
  mimeType: string
  /** Start of the content's SHA-256, as hexadecimal text. */
  hash: string
  body: Uint8Array<ArrayBuffer>
  /** The same, compressed; `null` if that saves little, or where the runtime compresses by itself. */
  gzip: Uint8Array<ArrayBuffer> | null
}

/** The files by name: `client/vivace.js`, `pages/capture/page.js`; of a page `capture.html`. */
export type BrowserFiles = ReadonlyMap<string, BrowserFile>

interface StoredFile {
  type: string
  hash: string
  body: string
  gzip: string | null
}

export function storeBrowserFiles(files: BrowserFiles): Record<string, StoredFile> {
  const stored = [...files].map(([name, { mimeType, hash, body, gzip }]) => [
    name,
    { type: mimeType, hash, body: encodeBase64(body), gzip: gzip && encodeBase64(gzip) },
  ])
  return Object.fromEntries(stored)
}

export function loadBrowserFiles(stored: Record<string, StoredFile>): BrowserFiles {
  return new Map(
    Object.entries(stored).map(([name, { type, hash, body, gzip }]) => [
      name,
      {
        mimeType: type,
        hash,
        body: bytesFromBase64(body),
        gzip: gzip === null ? null : bytesFromBase64(gzip),
      },
    ]),
  )
}
