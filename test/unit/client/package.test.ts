/** The client as a package: its generated types and its imports. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { clientAnswers } from '../../../scripts/client-answers.ts'
import { clientTypes } from '../../../scripts/client-types.ts'
import { buildPages } from '../../../scripts/pages/build-pages.ts'
import { schemaType } from '../../../scripts/schema-types.ts'

/** What sealing of containers needs besides: its format, and the encryption of its head. */
const sealing = ['src/container/format.ts', 'jose/jwe/compact/encrypt']

const root = path.resolve(import.meta.dirname, '..', '..', '..')

describe('the client', () => {
  it('has the types that `npm run docs` writes', async () => {
    expect(await readFile(path.join(root, 'client', 'operations.ts'), 'utf8')).toBe(await clientTypes())
    expect(await readFile(path.join(root, 'client', 'answers.ts'), 'utf8')).toBe(clientAnswers())
  })

  it('imports nothing from outside its folder', async () => {
    const files = (await readdir(path.join(root, 'client'), { recursive: true })).filter((file) =>
      file.endsWith('.ts'),
    )
    expect(files.length).toBeGreaterThan(5)
    for (const file of files) {
      const text = await readFile(path.join(root, 'client', file), 'utf8')
      const targets = [...text.matchAll(/(?:from |import\()'([^']+)'/g)].map(([, from]) => from!)
      const outside = targets.filter((from) => {
        const target = from.startsWith('.') ? path.posix.join('client', path.dirname(file), from) : from
        return !target.startsWith('client/') && !sealing.includes(target)
      })
      expect([file, outside]).toEqual([file, []])
    }
  })
})

describe('what pages load', () => {
  it('is small', async () => {
    const { files } = await buildPages(`${root}/`)
    const size = (name: string) => files.get(name)!.gzip!.length
    expect(size('client/vivace.js')).toBeLessThan(40 * 1024)
    expect(size('client/vivace-web-sdk.js')).toBeLessThan(40 * 1024)
    // What it says in four languages is most of it; a kilobyte measures challenges.
    expect(size('pages/capture/page.js')).toBeLessThan(6 * 1024)
  })
})

describe('types of schemas', () => {
  it('are what callers may send', () => {
    const schema = v.object({
      text: v.pipe(v.string(), v.trim()),
      'a:b': v.nullish(v.array(v.union([v.string(), v.picklist([1, 2])]))),
      inner: v.optional(v.strictObject({ flag: v.boolean() })),
      any: v.record(v.string(), v.unknown()),
    })
    expect(schemaType(schema)).toBe(
      "{\n  text: string\n  'a:b'?: (string | 1 | 2)[] | null\n  inner?: {\n    flag: boolean\n  }\n  any: { [key: string]: unknown }\n}",
    )
  })

  it('of unknown kinds stop the generator', () => {
    expect(() => schemaType(v.date())).toThrow(TypeError)
  })
})
