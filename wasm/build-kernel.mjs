/**
 * `node wasm/build-kernel.mjs FOLDER`: compiles FOLDER/kernel.ts from AssemblyScript. The build is reproducible, which tests
 * verify.
 */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { main } from 'assemblyscript/asc'

const folderOf = (name) => fileURLToPath(new URL(`./${name}/`, import.meta.url))

/**
 * Compiles a kernel.
 * @param {string} name its folder in `wasm/`
 * @returns {Promise<{ bytes: Uint8Array, sha256: string }>} the module
 * @throws {Error} with the messages of the compiler
 */
export async function buildKernel(name) {
  let bytes
  const { error, stderr } = await main(
    [
      'kernel.ts',
      ...['--outFile', 'kernel.wasm', '-O3', '--converge', '--noAssert'],
      ...['--runtime', 'stub', '--importMemory', '--enable', 'simd'],
    ],
    {
      readFile: (file, base) => readFile(`${folderOf(name)}${base}/${file}`, 'utf8').catch(() => null),
      writeFile: (_file, contents) => {
        bytes = new Uint8Array(contents)
      },
    },
  )
  if (error || !bytes) throw new Error(`wasm/${name}/kernel.ts does not compile: ${stderr}`, { cause: error })
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , name] = process.argv
  if (!name) throw new Error('usage: node wasm/build-kernel.mjs FOLDER')
  const { bytes, sha256 } = await buildKernel(name)
  await writeFile(`${folderOf(name)}kernel.wasm`, bytes)
  await writeFile(`${folderOf(name)}kernel.wasm.sha256`, `${sha256}  kernel.wasm\n`)
  process.stdout.write(`wasm/${name}/kernel.wasm, ${bytes.length} bytes, sha256 ${sha256}\n`)
}
