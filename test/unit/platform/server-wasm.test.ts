/** Each of our modules is compiled from its own file: the runtimes read them by name, and all kernels are of one type. */
import { expect, it } from 'vitest'
import {
  compileCodecs,
  compileInferenceKernel,
  compileRegistrationKernel,
  compileSearchKernel,
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
