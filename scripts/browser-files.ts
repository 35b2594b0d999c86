/** Before `npm pack`: builds the files for browsers, if they are missing or not up to date. */
import { openBrowserFiles } from '../src/platform/server-browser-files.ts'

await openBrowserFiles()
