/** Each of our modules is compiled from its own file: the runtimes read them by name, and all kernels are of one type. */
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { sha256 } from '../../../src/platform/hash.ts'
import {
  checkModules,
  compileCodecs,
  compileInferenceKernel,
  compileRegistrationKernel,
  compileSearchKernel,
  compileVerified,
} from '../../../src/platform/server-wasm.ts'

it.each([
  ['the inference engine', compileInferenceKernel, 'convolveQuantised'],
  ['face registration', compileRegistrationKernel, 'sumProducts'],
  ['1:N search', compileSearchKernel, 'scan'],
  ['pictures', async () => (await compileCodecs()).picture, 'halve'],
  ['JPEG', async () => (await compileCodecs()).jpeg, 'encoderMemory'],
] as const)('compiles the module of %s', async (_, compile, name) => {
  expect(WebAssembly.Module.exports(await compile()).map((one) => one.name)).toContain(name)
})

it('names a damaged or missing module with its hash, and what to do', async () => {
  await checkModules()
  const kernel = path.resolve(import.meta.dirname, '../../../wasm/gallery/kernel.wasm')
  const folder = await mkdtemp(path.join(tmpdir(), 'modules-'))
  const file = path.join(folder, 'kernel.wasm')
  try {
    await copyFile(`${kernel}.sha256`, `${file}.sha256`)
    await expect(compileVerified(file)).rejects.toThrow(
      /kernel\.wasm cannot be read \(ENOENT\): run "npm ci"/,
    )
    const bytes = await readFile(kernel)
    await writeFile(file, bytes)
    await compileVerified(file)
    const changed = Uint8Array.from(bytes)
    changed[bytes.length - 1]! ^= 1
    for (const damaged of [changed, bytes.subarray(0, 100)]) {
      await writeFile(file, damaged)
      await expect(compileVerified(file)).rejects.toThrow(
        `${file} is damaged (its sha256 is ${sha256(damaged)})`,
      )
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})
