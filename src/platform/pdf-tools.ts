/** Loads what PDF reports are written with: the library, and the fonts for Latin, Greek and Cyrillic. */
import { readFile } from 'node:fs/promises'
import type { PdfTools } from '../reports/pdf/render-pdf.ts'
import { packageFile } from './package-file.ts'

const readFont = async (file: string): Promise<Uint8Array> =>
  new Uint8Array(await readFile(packageFile(`@expo-google-fonts/noto-sans/${file}`)))

/** The font files. */
export async function readReportFonts(): Promise<PdfTools['fonts']> {
  const [regular, bold] = await Promise.all([
    readFont('400Regular/NotoSans_400Regular.ttf'),
    readFont('600SemiBold/NotoSans_600SemiBold.ttf'),
  ])
  return { regular, bold }
}

/** The PDF library and the font files. */
export async function loadPdfTools(): Promise<PdfTools> {
  const [library, fonts] = await Promise.all([import('@libpdf/core'), readReportFonts()])
  return { library, fonts }
}
