/** The files for browsers on Node, Bun and Deno, as `npm run pages` has built them. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type BrowserFiles, loadBrowserFiles } from './browser-files.ts'

/** The same from the source and from the bundle. */
export const browserFilesPath = fileURLToPath(new URL('../../dist/browser/files.json', import.meta.url))

/** @throws {Error} if they have not been built */
export const readBrowserFiles = async (): Promise<BrowserFiles> =>
  loadBrowserFiles(JSON.parse(await readFile(browserFilesPath, 'utf8')))
