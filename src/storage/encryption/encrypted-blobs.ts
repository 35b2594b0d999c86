/** Blobs that are encrypted on their way into another store. What lies there in plain, from before, is still read. */
import {
  assertBlob,
  assertRange,
  type BlobFacts,
  type BlobRange,
  type BlobStore,
  type OpenedBlob,
} from '../blobs/blob-store.ts'
import type { DataKeys } from './data-keys.ts'
import {
  type DataKey,
  encryptFile,
  type FileCipher,
  headBytes,
  isEncryptedHead,
  openFileCipher,
  pieceBytes,
  plainBytes,
  sealedPieceBytes,
} from './envelope.ts'

export interface EncryptedBlobs extends BlobStore {
  /** Whether a blob lies there in plain; `null` if it does not exist. */
  isPlain(key: string): Promise<boolean | null>
}

/** The folder or collection that a blob belongs to: the first part of its name. */
const ownerOf = (key: string): string => key.slice(0, key.indexOf('/'))

/** Reads a stream in pieces of a wanted size. */
class PieceReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  #held: Uint8Array = new Uint8Array()

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader()
  }

  /** Fewer bytes only at the end. */
  async take(count: number): Promise<Uint8Array> {
    const taken = new Uint8Array(count)
    let filled = 0
    while (filled < count) {
      const part = this.#held.subarray(0, count - filled)
      taken.set(part, filled)
      filled += part.length
      this.#held = this.#held.subarray(part.length)
      if (filled < count && !(await this.#readMore())) break
    }
    return taken.subarray(0, filled)
  }

  async #readMore(): Promise<boolean> {
    const { done, value } = await this.#reader.read()
    if (!done) this.#held = value
    return !done
  }

  /** What was taken, and what is left. */
  rest(taken: Uint8Array): ReadableStream<Uint8Array> {
    const held = [taken, this.#held].filter(({ length }) => length > 0)
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const next = held.shift()
        if (next) return controller.enqueue(next)
        const { done, value } = await this.#reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => this.cancel(reason),
    })
  }

  cancel(reason?: unknown): Promise<void> {
    return this.#reader.cancel(reason)
  }
}

/**
 * Decrypts pieces while they are read.
 * @param range of the plain bytes; the reader stands at the piece of its start
 */
function decryptPieces(reader: PieceReader, cipher: FileCipher, { start, end }: BlobRange) {
  let piece = Math.floor(start / pieceBytes)
  const last = Math.max(Math.floor(end / pieceBytes), 0)
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const sealed = await reader.take(sealedPieceBytes)
        const plain = await cipher.decrypt(piece, sealed)
        const at = piece * pieceBytes
        const wanted = plain.subarray(Math.max(start - at, 0), end + 1 - at)
        if (wanted.length > 0) controller.enqueue(wanted)
        if (piece++ < last) return
        // The rest of a stream that is left unread would stay open.
        await reader.cancel()
        controller.close()
      } catch (error) {
        await reader.cancel().catch(() => {})
        throw error
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

async function decryptWhole(key: DataKey, name: string, whole: Uint8Array): Promise<Uint8Array> {
  const cipher = await openFileCipher(key, name, whole, whole.length)
  const plain = new Uint8Array(plainBytes(whole.length))
  for (let piece = 0, at = headBytes; piece === 0 || at < whole.length; piece++, at += sealedPieceBytes) {
    const part = await cipher.decrypt(piece, whole.subarray(at, at + sealedPieceBytes))
    plain.set(part, piece * pieceBytes)
  }
  return plain
}

/** The store as its callers see it without encryption. A blob whose key was destroyed counts as missing. */
export function encryptedBlobs(inner: BlobStore, keys: Pick<DataKeys, 'find' | 'obtain'>): EncryptedBlobs {
  /** The first bytes of a blob, and its size; `null` if it does not exist. */
  async function readHead(name: string): Promise<{ head: Uint8Array; facts: BlobFacts } | null> {
    const facts = await inner.stat(name)
    if (!facts) return null
    if (facts.size < headBytes) return { head: new Uint8Array(), facts }
    const opened = await inner.open(name, { start: 0, end: headBytes - 1 })
    if (!opened) return null
    const head = await new Response(opened.body as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer()
    return { head: new Uint8Array(head), facts: { size: opened.size, mimeType: opened.mimeType } }
  }

  /** @param facts of the whole blob, when its head was read */
  async function openPlain(name: string, range: BlobRange, facts: BlobFacts): Promise<OpenedBlob | null> {
    const opened = await inner.open(name, range)
    if (!opened || opened.size === facts.size) return opened
    // It is encrypted since, which makes it longer.
    await opened.body.cancel()
    return openRange(name, range)
  }

  async function openRange(name: string, range: BlobRange): Promise<OpenedBlob | null> {
    const found = await readHead(name)
    if (!found) return null
    if (!isEncryptedHead(found.head)) return openPlain(name, range, found.facts)
    const { size: sealedBytes, mimeType } = found.facts
    const size = plainBytes(sealedBytes)
    assertRange(range, size)
    const key = await keys.find(ownerOf(name))
    if (!key) return null
    const cipher = await openFileCipher(key, name, found.head, sealedBytes)
    const [first, last] = [range.start, range.end].map((at) => Math.floor(at / pieceBytes)) as [
      number,
      number,
    ]
    const opened = await inner.open(name, {
      start: headBytes + first * sealedPieceBytes,
      end: Math.min(headBytes + (last + 1) * sealedPieceBytes, sealedBytes) - 1,
    })
    return opened && { size, mimeType, body: decryptPieces(new PieceReader(opened.body), cipher, range) }
  }

  async function openWhole(name: string): Promise<OpenedBlob | null> {
    const opened = await inner.open(name)
    if (!opened) return null
    const { size: sealedBytes, mimeType } = opened
    const reader = new PieceReader(opened.body)
    try {
      const head = await reader.take(headBytes)
      if (!isEncryptedHead(head)) return { ...opened, body: reader.rest(head) }
      const key = await keys.find(ownerOf(name))
      if (key) {
        const cipher = await openFileCipher(key, name, head, sealedBytes)
        const size = plainBytes(sealedBytes)
        return { size, mimeType, body: decryptPieces(reader, cipher, { start: 0, end: size - 1 }) }
      }
    } catch (error) {
      await reader.cancel().catch(() => {})
      throw error
    }
    await reader.cancel()
    return null
  }

  return {
    backup: inner.backup,
    isRemote: inner.isRemote,
    // Other programs cannot open what they read.
    isReadByOthers: false,
    async put(name, bytes, mimeType) {
      assertBlob(name, mimeType)
      const key = await keys.obtain(ownerOf(name))
      return inner.put(name, await encryptFile(key, name, bytes), mimeType)
    },
    open: (name, range) => (range ? openRange(name, range) : openWhole(name)),
    async read(name) {
      const whole = await inner.read(name)
      if (!whole || !isEncryptedHead(whole)) return whole
      const key = await keys.find(ownerOf(name))
      return key && decryptWhole(key, name, whole)
    },
    async stat(name) {
      const found = await readHead(name)
      if (!found) return null
      if (!isEncryptedHead(found.head)) return found.facts
      const { size, mimeType } = found.facts
      return (await keys.find(ownerOf(name))) && { size: plainBytes(size), mimeType }
    },
    delete: (names) => inner.delete(names),
    check: () => inner.check(),
    async isPlain(name) {
      const found = await readHead(name)
      return found && !isEncryptedHead(found.head)
    },
  }
}
