import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { isUsable } from '../../../src/platform/server-video.ts'

it.each([
  ['was built from other sources', Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0), /build it again/],
  ['is damaged', Uint8Array.of(0, 0x61), /WebAssembly/],
])('a decoder that %s is told before the first clip, and not used', async (_, bytes, why) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'vivace-video-'))
  const file = path.join(folder, 'video.wasm')
  await writeFile(file, bytes)
  const told: string[] = []
  expect(await isUsable({ id: 'lean', file }, ({ message }) => told.push(message))).toBe(false)
  expect(told).toEqual([expect.stringMatching(why)])
  await rm(folder, { recursive: true })
})
