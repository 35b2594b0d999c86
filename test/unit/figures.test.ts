/** The marked parts of the documents are what `npm run figures` writes. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { figureDocuments } from '../../scripts/figures/documents.ts'
import { parseFigures, readFigures } from '../../scripts/figures/figures-file.ts'
import { markedParts, writeParts } from '../../scripts/figures/marked-parts.ts'
import { formatRate } from '../../scripts/figures/number-text.ts'
import { sampleRate, toRate, totalRate } from '../../scripts/figures/rate.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const documents = await figureDocuments(root, await readFigures(root))

describe('the figures of the documents', () => {
  it.each(Object.keys(documents))('%s shows what `npm run figures` writes', async (document) => {
    expect(await readFile(path.join(root, document), 'utf8')).toBe(documents[document])
  })

  it('figures contain no path', async () => {
    const text = await readFile(path.join(root, 'docs', 'figures.json'), 'utf8')
    expect(text).not.toMatch(/[" ]\/\w|\/home\//)
  })
})

describe('marked parts', () => {
  const text = 'a\n<!-- figures:one -->\nold\n<!-- /figures -->\nb\n'

  it('only the marked parts are replaced', () => {
    const written = writeParts('X.md', text, { one: 'new' })
    expect(written).toBe('a\n<!-- figures:one -->\n\nnew\n\n<!-- /figures -->\nb\n')
    expect(writeParts('X.md', written, { one: 'new' })).toBe(written)
    expect(markedParts(written)).toEqual(new Map([['one', 'new']]))
  })

  it('unwritten and unmarked parts are named in the error', () => {
    expect(() => writeParts('X.md', text, {})).toThrow('X.md marks "figures:one"')
    expect(() => writeParts('X.md', text, { one: '', two: '' })).toThrow(
      'X.md lacks the marks of "figures:two"',
    )
  })
})

describe('rates', () => {
  it('sample rates have Wilson’s interval', () => {
    expect(sampleRate(0, 458)).toEqual({ errors: 0, of: 458, low: 0, high: expect.closeTo(0.00832, 5) })
    expect(sampleRate(0, 0)).toEqual({ errors: 0, of: 0, low: null, high: null })
    expect(totalRate([sampleRate(1, 10), sampleRate(2, 20)])).toEqual(sampleRate(3, 30))
  })

  it('are shown with counts first', () => {
    expect(formatRate(sampleRate(1, 398))).toBe('1 of 398 (0.25 %, at most 1.4 %)')
    expect(formatRate(sampleRate(0, 458))).toBe('0 of 458 (at most 0.83 %)')
    expect(formatRate(sampleRate(2, 2))).toBe('2 of 2 (100 %)')
    expect(formatRate(toRate(6, 4269, null))).toBe('6 of 4269 (0.14 %)')
    expect(formatRate(null)).toBe('—')
  })
})

describe('docs/figures.json', () => {
  it('a missing or malformed figures file is refused with the command that makes it', async () => {
    const command = 'npm run figures -- --measure DIR'
    expect(() => parseFigures('{"pictures": {"standard": {}}}')).toThrow(command)
    expect(() => parseFigures('{"picture": {}}')).toThrow(command)
    expect(parseFigures('{"pictures": {"standard": {}}}', ['pictures'])).toEqual({})
    const folder = await mkdtemp(path.join(tmpdir(), 'figures-'))
    await expect(readFigures(folder)).rejects.toThrow(command)
    await rm(folder, { recursive: true })
  })

  it('figures without the answers of a profile cannot be written into the README', async () => {
    const figures = await readFigures(root)
    delete figures.answers?.embedded
    await expect(figureDocuments(root, figures)).rejects.toThrow('npm run figures')
  })
})
