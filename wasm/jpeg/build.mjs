/** `npm run build:jpeg`: compiles the JPEG codec. The build is reproducible, which a test verifies. */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { main } from 'assemblyscript/asc'

const folder = fileURLToPath(new URL('./', import.meta.url))

/**
 * Compiles the codec.
 * @returns {Promise<{ bytes: Uint8Array, sha256: string }>} the module
 * @throws {Error} with the messages of the compiler
 */
export async function buildJpegCodec() {
  let bytes
  const { error, stderr } = await main(
    [
      ...['encode.ts', 'shrink.ts', 'decode.ts', '--outFile', 'jpeg.wasm', '-O3', '--converge', '--noAssert'],
      ...['--runtime', 'stub', '--initialMemory', '4', '--enable', 'simd'],
    ],
    {
      readFile: (name, base) => readFile(`${folder}${base}/${name}`, 'utf8').catch(() => null),
      writeFile: (_name, contents) => {
        bytes = new Uint8Array(contents)
      },
    },
  )
  if (error || !bytes) throw new Error(`the codec does not compile: ${stderr}`, { cause: error })
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { bytes, sha256 } = await buildJpegCodec()
  await writeFile(`${folder}jpeg.wasm`, bytes)
  await writeFile(`${folder}jpeg.wasm.sha256`, `${sha256}  jpeg.wasm\n`)
  process.stdout.write(`jpeg.wasm, ${bytes.length} bytes, sha256 ${sha256}\n`)
}
