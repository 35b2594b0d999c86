/** `npm run build:gallery`: compiles `kernel.ts`. The build is reproducible, which a test verifies. */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { main } from 'assemblyscript/asc'

const folder = fileURLToPath(new URL('./', import.meta.url))

/**
 * Compiles the kernel.
 * @returns {Promise<{ bytes: Uint8Array, sha256: string }>} the module
 * @throws {Error} with the messages of the compiler
 */
export async function buildKernel() {
  let bytes
  const { error, stderr } = await main(
    [
      'kernel.ts',
      ...['--outFile', 'kernel.wasm', '-O3', '--converge', '--noAssert'],
      ...['--runtime', 'stub', '--importMemory', '--enable', 'simd'],
    ],
    {
      readFile: (name, base) => readFile(`${folder}${base}/${name}`, 'utf8').catch(() => null),
      writeFile: (_name, contents) => {
        bytes = new Uint8Array(contents)
      },
    },
  )
  if (error || !bytes) throw new Error(`the kernel does not compile: ${stderr}`, { cause: error })
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { bytes, sha256 } = await buildKernel()
  await writeFile(`${folder}kernel.wasm`, bytes)
  await writeFile(`${folder}kernel.wasm.sha256`, `${sha256}  kernel.wasm\n`)
  process.stdout.write(`kernel.wasm, ${bytes.length} bytes, sha256 ${sha256}\n`)
}
