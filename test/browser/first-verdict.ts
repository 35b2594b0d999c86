/**
 * `node scripts/run.mjs test/browser/first-verdict.ts ADDRESS`: does what a newcomer does with a server that has just been started: opens its
 * page, drops a selfie, and reads the verdict.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { say } from '../../scripts/cli/command.ts'
import { chromiumNote, hasChromium, openChromium } from '../fixtures/chromium.ts'
import { portrait } from '../fixtures/portraits.ts'

/** @returns the verdict in the page's words */
async function readVerdict(address: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'first-verdict-'))
  const chromium = await openChromium(null)
  try {
    const selfie = path.join(folder, 'selfie.jpg')
    await writeFile(selfie, await portrait('redhead'))
    const page = await chromium.newPage()
    await page.goto(address)
    await page.setInputFiles('#selfie', selfie)
    return (await page.textContent('.verdict h2')) ?? ''
  } finally {
    await chromium.close()
    await rm(folder, { recursive: true, force: true })
  }
}

if (hasChromium) {
  const startMs = performance.now()
  const verdict = await readVerdict(`${process.argv[2]}/`)
  say(`${verdict} (${((performance.now() - startMs) / 1000).toFixed(1)} s)`)
  if (verdict !== 'A live person') process.exitCode = 1
} else say(`no verdict${chromiumNote}`)
