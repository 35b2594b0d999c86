/**
 * Measures fields of the printed page. Their truth is the machine-readable zone of the same picture, if its check digits hold, or a file
 * `NAME.fields.json` beside the picture, in the form of Azure's analysis of identity documents.
 */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { readDocument } from '../../../src/assess/assess-document.ts'
import type { AssessorDeps } from '../../../src/assess/assessor-deps.ts'
import { parseZone } from '../../../src/documents/mrz/parse-zone.ts'
import type { MrzReading } from '../../../src/documents/reading.ts'
import {
  compareWithMrz,
  readVisualFields,
  type VisualFieldName,
} from '../../../src/documents/visual/read-fields.ts'
import type { Pyramid } from '../../../src/vision/pyramid.ts'

/** How a printed field compares with its truth; `missing` if it was not read. */
type FieldOutcome = 'same' | 'likely' | 'different' | 'unknown' | 'missing'

export interface MeasuredField {
  file: string
  name: VisualFieldName
  truth: string
  printed: string | null
  outcome: FieldOutcome
}

export interface MeasuredPage {
  file: string
  ms: number
  lines: number
  fields: MeasuredField[]
}

/** Fields of zones that pages print too. */
const zoneFields = {
  surname: 'surname',
  givenNames: 'given_names',
  documentNumber: 'document_number',
  personalNumber: 'personal_number',
  nationality: 'nationality',
  sex: 'sex',
  birthDate: 'birth_date',
  expiryDate: 'expiry_date',
} as const satisfies Record<string, VisualFieldName>

const azureFields = {
  FirstName: 'given_names',
  LastName: 'surname',
  DocumentNumber: 'document_number',
  Sex: 'sex',
  DateOfBirth: 'birth_date',
  DateOfExpiration: 'expiry_date',
} as const satisfies Record<string, VisualFieldName>

/** Values of printed fields. */
type Truth = Partial<Record<VisualFieldName, string>>

async function readTruthFile(file: string): Promise<Truth | null> {
  const text = await readFile(file.replace(/\.\w+$/, '.fields.json'), 'utf8').catch(() => null)
  if (text === null) return null
  const { analyzeResult } = JSON.parse(text) as {
    analyzeResult: { documentResults: { fields: Record<string, Record<string, unknown>> }[] }
  }
  const fields = analyzeResult.documentResults[0]?.fields ?? {}
  return Object.fromEntries(
    Object.entries(azureFields).flatMap(([azure, name]) => {
      const { valueDate, valueString, valueGender, text: printed } = fields[azure] ?? {}
      const value = valueDate ?? valueString ?? valueGender ?? printed
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

/** The values of the first zone whose check digits hold. */
export function readZoneTruth(zones: readonly MrzReading[], today: string): Truth | null {
  for (const zone of zones) {
    const parsed = parseZone(zone, today)
    if (!parsed?.checks.every(({ state }) => state === 'valid')) continue
    return Object.fromEntries(
      Object.entries(zoneFields).flatMap(([from, name]) => {
        const value = parsed.fields[from as keyof typeof parsed.fields]?.value
        return typeof value === 'string' && value !== '' ? [[name, value]] : []
      }),
    )
  }
  return null
}

/**
 * Reads a picture as the service does, and compares each field whose truth is known.
 * @param known the truth; without it, that of the picture's own zone, or of a file beside it
 */
export async function measureFields(
  file: string,
  pyramid: Pyramid,
  deps: Pick<AssessorDeps, 'lazyEngine' | 'documents'>,
  { today, known }: { today: string; known?: Truth },
): Promise<MeasuredPage> {
  const start = performance.now()
  const reading = await readDocument(deps, pyramid, { page: true })
  const ms = performance.now() - start
  const zone = readZoneTruth(reading.zones, today)
  const truth = known ?? (await readTruthFile(file)) ?? zone ?? {}
  const lines = reading.lines ?? []
  const { fields } = readVisualFields(lines, zone ?? {}, { today })
  const name = path.basename(file)
  const measured = Object.entries(truth).map(([key, value]): MeasuredField => {
    const field = fields[key as VisualFieldName]
    const outcome = field ? compareWithMrz(field.name, field, value) : 'missing'
    return { file: name, name: key as VisualFieldName, truth: value, printed: field?.text ?? null, outcome }
  })
  return { file: name, ms, lines: lines.length, fields: measured }
}

/** The pictures of a folder. */
export const listPictures = async (folder: string): Promise<string[]> =>
  (await readdir(folder))
    .filter((name) => /\.(png|jpe?g|webp)$/i.test(name))
    .toSorted()
    .map((name) => path.join(folder, name))
