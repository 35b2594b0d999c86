/** Secure containers in a real browser: its cryptography opens the test vectors, and seals what the reader opens. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { sealContainer } from '../../client/seal.ts'
import { chromiumNote, hasChromium, openChromium, type TestBrowser } from '../fixtures/chromium.ts'
import {
  readVectors,
  signSessionToken,
  vectorFolder,
  vectorKeys,
  vectorRecipient,
} from '../fixtures/containers.ts'
import { openVector } from '../fixtures/open-vector.ts'
import type {} from '../fixtures/serve.ts'

interface InPage {
  containers: { openVector: typeof openVector; sealContainer: typeof sealContainer }
}

const root = path.resolve(import.meta.dirname, '../..')

/** The reader and the sealing as a script for a page. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { openVector } from './test/fixtures/open-vector.ts'
export { sealContainer } from './client/seal.ts'`,
      resolveDir: root,
    },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'containers',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'error',
  })
  return outputFiles[0]!.text
}

describe.skipIf(!hasChromium)(`secure containers in a browser${chromiumNote}`, () => {
  let browser: TestBrowser
  let page: Page
  beforeAll(async () => {
    browser = await openChromium(null)
    // Its pages allow no scripts but their own.
    page = await browser.newPage({ bypassCSP: true })
    await page.goto(`${inject('url')}/capture`)
    await page.addScriptTag({ content: await bundle() })
  })
  afterAll(() => browser?.close())

  it('opens or refuses every test vector as it must', async () => {
    const vectors = await readVectors()
    const files = await Promise.all(
      vectors.map(({ file }) => readFile(path.join(vectorFolder, file), 'base64')),
    )
    const outcomes = await page.evaluate(
      ({ files, keys }) => {
        const { containers } = window as unknown as InPage
        const open = (file: string) =>
          containers.openVector(
            Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0)),
            keys,
          )
        return Promise.all(files.map(open))
      },
      { files, keys: vectorKeys },
    )
    expect(outcomes).toEqual(vectors.map(({ file: _, says: __, ...outcome }) => outcome))
  })

  it('seals what the reader opens', async () => {
    const input = { sessionToken: await signSessionToken(), keys: { keys: [vectorRecipient] } }
    const sealed = await page.evaluate(async (input) => {
      const { containers } = window as unknown as InPage
      const bytes = await containers.sealContainer({
        ...input,
        payload: { analyses: [{ type: 'quality' }] },
        media: [{ name: 'photo', bytes: new Uint8Array([1, 2, 3]), tags: ['photo_selfie'] }],
      })
      return [...bytes]
    }, input)
    expect((await openVector(new Uint8Array(sealed), vectorKeys)).opens).toMatchObject({
      payload: { analyses: [{ type: 'quality' }] },
      media: [{ name: 'photo', tags: ['photo_selfie'] }],
      company_id: null,
    })
  })
})
