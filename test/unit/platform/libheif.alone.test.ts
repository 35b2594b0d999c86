import { expect, it, vi } from 'vitest'

const lacking = vi.hoisted(() => ({ file: '' }))
vi.mock('../../../src/platform/package-file.ts', () => ({
  hasPackageFile: (file: string) => file !== lacking.file,
  packageFile: (file: string) => file,
}))

const { hasLibheif, lateModules } = await import('../../../src/platform/server-wasm.ts')

it('is there with both of its files', () => {
  expect(hasLibheif()).toBe(true)
  for (const extension of ['js', 'wasm']) {
    lacking.file = `libheif-js/libheif-wasm/libheif.${extension}`
    expect([hasLibheif(), lateModules().heicDecoder]).toEqual([false, null])
  }
})
