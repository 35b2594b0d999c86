/** The code of the worker thread that writes PDF reports, one at a time. */
import { parentPort } from 'node:worker_threads'
import { renderPdf } from '../reports/pdf/render-pdf.ts'
import type { Report } from '../reports/report.ts'
import { packMessage, unpackMessage } from './packed-message.ts'
import { loadPdfTools } from './pdf-tools.ts'

/** The PDF, or why there is none. */
export type PdfAnswer = { bytes: Uint8Array } | { failure: string }

const port = parentPort!
const tools = loadPdfTools()

async function write(report: Report): Promise<PdfAnswer> {
  try {
    return { bytes: await renderPdf(await tools, report) }
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

port.on('message', async (report: unknown) => {
  port.postMessage(packMessage(await write(unpackMessage<Report>(report))))
})
