/** Blobs as files below one folder, for servers. Writes are atomic and durable. */
import { type FileHandle, mkdir, open, readdir, readFile, rmdir, stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import { AppError } from '../errors.ts'
import {
  assertBlob,
  assertBlobKey,
  assertRange,
  type BlobRange,
  type BlobStore,
  findMimeType,
  type OpenedBlob,
  refuseMalformedKeys,
} from '../storage/blobs/blob-store.ts'
import { giveToOwnerOf, makeFolder, otherOwnerOf } from './private-file.ts'
import { draftName, isDraftName, syncToDisk, writeSynced, writeWhole } from './whole-file.ts'

const chunkBytes = 64 * 1024
/** Files are for their owner alone. */
const mode = 0o600

/** How often writing a blob is tried if its folder is removed meanwhile. */
const writesMax = 10

const readCode = (error: unknown): string => String((error as NodeJS.ErrnoException).code ?? 'unknown')

/** The cause is logged: the system call and its error code, without the path. */
function storeFailure(error: unknown): AppError {
  const call = (error as NodeJS.ErrnoException).syscall ?? 'file access'
  const cause = new Error(`${call} failed with ${readCode(error)}`)
  return new AppError('external_failed', 'the blob store failed', { cause })
}

async function wrapErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof TypeError ? error : storeFailure(error)
  }
}

const findFailure = (work: () => Promise<unknown>): Promise<AppError | null> =>
  work().then(() => null, storeFailure)

/** Returns `null` if the file or folder does not exist. */
async function ignoreMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (readCode(error) === 'ENOENT') return null
    throw error
  }
}

async function syncFolder(folder: string): Promise<void> {
  await ignoreMissing(syncToDisk(folder))
}

/** Makes a new name durable, and those of the folders above it. */
async function syncFoldersUpTo(root: string, folder: string): Promise<void> {
  for (let at = folder; ; at = path.dirname(at)) {
    await syncFolder(at)
    if (at === root) return
  }
}

/** Names of the temporary files that a store is writing. */
type Writing = Set<string>

/** Removes partly written files that a crash left in a folder. */
async function removeLeftovers(folder: string, writing: Writing): Promise<void> {
  const names = (await ignoreMissing(readdir(folder))) ?? []
  const leftovers = names.filter((name) => isDraftName(name) && !writing.has(name))
  for (const name of leftovers) await ignoreMissing(unlink(path.join(folder, name)))
}

/** No segment of a key starts with a dot, so a blob is never mistaken for a draft. */
async function writeBlob(root: string, target: string, bytes: Uint8Array, writing: Writing): Promise<void> {
  const folder = path.dirname(target)
  if (await mkdir(folder, { recursive: true, mode: 0o700 })) await giveToOwnerOf(root, [folder])
  const name = draftName()
  writing.add(name)
  try {
    const owner = await otherOwnerOf(root)
    await writeWhole(target, bytes, { mode, owner, draft: path.join(folder, name) })
  } finally {
    writing.delete(name)
  }
}

/** Retries, since a concurrent delete may remove the empty folder, or one of another process the temporary file in it. */
async function writeWithRetries(
  root: string,
  target: string,
  bytes: Uint8Array,
  writing: Writing,
): Promise<void> {
  for (let write = 1; ; write++) {
    try {
      return await writeBlob(root, target, bytes, writing)
    } catch (error) {
      if (readCode(error) !== 'ENOENT' || write === writesMax) throw error
    }
  }
}

/** @returns whether the folder no longer exists */
async function removeIfEmpty(folder: string): Promise<boolean> {
  try {
    await ignoreMissing(rmdir(folder))
    return true
  } catch (error) {
    if (readCode(error) === 'ENOTEMPTY' || readCode(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * Removes partly written files that a crash left in a folder, then the folder and those above it as far as they are
 * empty.
 */
async function tidy(root: string, folder: string, writing: Writing): Promise<void> {
  await removeLeftovers(folder, writing)
  let survivor = folder
  while (survivor !== root && (await removeIfEmpty(survivor))) survivor = path.dirname(survivor)
  await syncFolder(survivor)
}

/** Streams the bytes `start` to `end` of a file, `end` excluded. Closes the file at the end, on failure and on cancel. */
function createStream(file: FileHandle, start: number, end: number): ReadableStream<Uint8Array> {
  let at = start
  const readChunk = async (): Promise<Uint8Array> => {
    const chunk = new Uint8Array(Math.min(chunkBytes, end - at))
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
    if (bytesRead === 0) throw new Error('the file is shorter than it was')
    at += bytesRead
    return chunk.subarray(0, bytesRead)
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          if (at < end) controller.enqueue(await readChunk())
          if (at < end) return
          controller.close()
          await file.close()
        } catch (error) {
          await file.close().catch(() => {})
          throw storeFailure(error)
        }
      },
      cancel: () => file.close(),
    },
    // Nothing is read in advance.
    { highWaterMark: 0 },
  )
}

async function openFile(file: string, mimeType: string, range?: BlobRange): Promise<OpenedBlob | null> {
  const handle = await ignoreMissing(open(file, 'r'))
  if (!handle) return null
  try {
    const { size } = await handle.stat()
    if (range) assertRange(range, size)
    const body = range ? createStream(handle, range.start, range.end + 1) : createStream(handle, 0, size)
    return { body, size, mimeType }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Blobs below `folder`, which is created on first use. Only its owner can access files and folders, also what the super-user writes. */
export function fileBlobs(folder: string): BlobStore {
  const root = path.resolve(folder)
  const writing: Writing = new Set()
  const resolveFile = (key: string): string => {
    assertBlobKey(key)
    return path.join(root, ...key.split('/'))
  }
  return {
    ...{ backup: { folder: root }, isRemote: false, isReadByOthers: false },
    put: (key, bytes, mimeType) =>
      wrapErrors(async () => {
        assertBlob(key, mimeType)
        const file = resolveFile(key)
        await writeWithRetries(root, file, bytes, writing)
        // Leftovers in this folder are mostly from an earlier attempt at the same blob. One that stays is reported with the next deletion here.
        await removeLeftovers(path.dirname(file), writing).catch(() => {})
        await syncFoldersUpTo(root, path.dirname(file))
      }),
    open: (key, range) =>
      wrapErrors(async () => {
        const file = resolveFile(key)
        const mimeType = findMimeType(key)
        return mimeType === null ? null : openFile(file, mimeType, range)
      }),
    read: (key) =>
      wrapErrors(async () => {
        const bytes = await ignoreMissing(readFile(resolveFile(key)))
        return bytes && new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
      }),
    stat: (key) =>
      wrapErrors(async () => {
        const file = resolveFile(key)
        const mimeType = findMimeType(key)
        const found = mimeType === null ? null : await ignoreMissing(stat(file))
        return found?.isFile() && mimeType ? { size: found.size, mimeType } : null
      }),
    async delete(keys) {
      const failures = refuseMalformedKeys(keys)
      const byFolder = new Map<string, string[]>()
      for (const key of keys.filter((sound) => !failures.has(sound))) {
        const folder = path.dirname(resolveFile(key))
        const own = byFolder.get(folder) ?? []
        byFolder.set(folder, own)
        own.push(key)
        const failure = await findFailure(() => ignoreMissing(unlink(resolveFile(key))))
        if (failure) failures.set(key, failure)
      }
      for (const [folder, own] of byFolder) {
        const failure = await findFailure(() => tidy(root, folder, writing))
        // Half-written files of the same blobs may be left.
        if (failure) for (const key of own) failures.set(key, failure)
      }
      return failures
    },
    check: () =>
      wrapErrors(async () => {
        await makeFolder(root, 0o700)
        const probe = path.join(root, draftName())
        try {
          await writeSynced(probe, Uint8Array.of(0), { mode })
        } catch (error) {
          // On a full disk there is a file without its bytes, and another one after each check.
          await unlink(probe).catch(() => {})
          throw error
        }
        await unlink(probe)
      }),
  }
}
