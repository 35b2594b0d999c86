import { expect, it } from 'vitest'
import { openLeanDecoder } from '../../../../src/media/video/lean-decoder.ts'

it('is not opened on a module that was built from other sources', () => {
  const empty = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0))
  expect(() => openLeanDecoder(empty)).toThrow(/build it again/)
})
