/**
 * `node wasm/build-module.mjs NAME`: compiles a module from AssemblyScript, in the folder of its name. The build is
 * reproducible, which tests verify.
 */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { main } from 'assemblyscript/asc'

const kernel = { sources: ['kernel.ts'], file: 'kernel.wasm', memory: ['--importMemory'] }

export const modules = {
  gallery: kernel,
  h264: { sources: ['decoder.ts'], file: 'h264.wasm', memory: ['--initialMemory', '16'] },
  inference: kernel,
  jpeg: {
    sources: ['encode.ts', 'shrink.ts', 'decode.ts'],
    file: 'jpeg.wasm',
    memory: ['--initialMemory', '4'],
  },
  picture: kernel,
  registration: kernel,
  vp8: { sources: ['decoder.ts'], file: 'vp8.wasm', memory: ['--initialMemory', '16'] },
}

const folderOf = (name) => fileURLToPath(new URL(`./${name}/`, import.meta.url))

/**
 * Compiles a module.
 * @param {'gallery' | 'h264' | 'inference' | 'jpeg' | 'picture' | 'registration' | 'vp8'} name
 * @returns {Promise<{ bytes: Uint8Array, sha256: string }>} the module
 * @throws {Error} with the messages of the compiler
 */
export async function buildModule(name) {
  const { sources, file, memory } = modules[name]
  let bytes
  const { error, stderr } = await main(
    [
      ...[...sources, '--outFile', file, '-O3', '--converge', '--noAssert'],
      ...['--runtime', 'stub', ...memory, '--enable', 'simd'],
    ],
    {
      readFile: (source, base) => readFile(`${folderOf(name)}${base}/${source}`, 'utf8').catch(() => null),
      writeFile: (_file, contents) => {
        bytes = new Uint8Array(contents)
      },
    },
  )
  if (error || !bytes) throw new Error(`wasm/${name} does not compile: ${stderr}`, { cause: error })
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

const usage = `usage: npm run build:NAME   (${Object.keys(modules).join(', ')})

Compiles wasm/NAME from AssemblyScript and writes the module with its sha256. The result is the same on every machine.

Exit code: 0 done, 1 it does not compile, 64 wrong usage.
`

/** @returns {Promise<number>} the exit code */
async function run([name = '', ...more]) {
  if ([name, ...more].includes('--help')) {
    process.stdout.write(usage)
    return 0
  }
  if (!Object.hasOwn(modules, name) || more.length > 0) {
    process.stderr.write(
      `${more.length > 0 ? `There is no argument ${more[0]}` : `There is no module ${name}`}\n\n${usage}`,
    )
    return 64
  }
  const { file } = modules[name]
  const { bytes, sha256 } = await buildModule(name)
  await writeFile(`${folderOf(name)}${file}`, bytes)
  await writeFile(`${folderOf(name)}${file}.sha256`, `${sha256}  ${file}\n`)
  process.stdout.write(`wasm/${name}/${file}, ${bytes.length} bytes, sha256 ${sha256}\n`)
  return 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.exitCode = await run(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`${error.message}\n`)
    return 1
  })
