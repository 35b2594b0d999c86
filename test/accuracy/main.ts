/**
 * `npm run accuracy -- DIR [--report FILE [--pictures]] [--json FILE]`: error rates of the running profile on labelled
 * pictures.
 *
 * DIR contains `pairs.csv`, `pad/labels.csv`, or both. The text goes to standard output, progress to standard error, the
 * report to one HTML file; with `--pictures` it shows the worst cases (`docs/accuracy.md`).
 *
 * `npm run accuracy -- clips DIR [--stills N] [--motions N] [--json FILE]`: the same for clips. DIR may contain `video/` with
 * clips of people, and `faces/` with pictures for moved stills; without `faces/` the pictures in DIR itself are used. N pictures
 * (default 30) are each moved in N ways (default all).
 *
 * `npm run accuracy -- attacks DIR [--stills N] [--only TEXT] [--json FILE]`: animated stills, of the packages' portraits and of N
 * pictures of DIR (default 30); and clips with switched identities of N people of its `pairs.csv`, if `video/` has turning heads.
 *
 * `npm run accuracy -- attacks DIR --edits [--stills N] [--only TEXT] [--json FILE]`: the effect of borders and other edits on the
 * verdicts for the labelled attacks of DIR, N photos of people (default 30), and these as simulated print and screen.
 *
 * `npm run accuracy -- identify DIR [--splits N] [--json FILE]`: errors of open-set 1:N search. DIR contains `faces/IDENTITY/`
 * with pictures.
 *
 * `npm run accuracy -- detect DIR [--json FILE]`: errors of the face detector. DIR may contain `detection/` with pictures whose
 * faces are annotated in dlib's XML or `.pts` files, `pairs.csv`, whose pictures show one face each, and `bad/no_face/`.
 *
 * `npm run accuracy -- documents DIR [--pages N] [--json FILE]`: machine-readable zones. DIR, or its folder `documents/`, may contain
 * `mrz_lines/` with strips of lines, `truth.csv` with rendered pages (`documents/render-pages.py`), of which the first N are read, or
 * pictures of documents. Of these, the fields of the printed page are compared with the zone, or with `NAME.fields.json`.
 *
 * `npm run accuracy -- same DIR [--json FILE]`: which pictures count as the same picture. DIR contains `faces/IDENTITY/` with
 * pictures, and may contain `video/` with clips of people.
 */
import { parseArgs } from 'node:util'
import { measureAttacks } from './attacks.ts'
import { measureClips } from './clips.ts'
import { measureDetection } from './detect.ts'
import { measureDocuments } from './documents/measure-documents.ts'
import { measureEdits } from './edits.ts'
import { measureIdentification } from './identify.ts'
import { InputError } from './input-error.ts'
import { measurePictures } from './pictures.ts'
import { measureSamePicture } from './same-picture.ts'

const usage =
  'usage: npm run accuracy -- DIR [--report FILE [--pictures]] [--json FILE]\n' +
  '       npm run accuracy -- (clips | attacks | detect | documents | identify | same) DIR [--json FILE]'

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        json: { type: 'string' },
        report: { type: 'string' },
        pictures: { type: 'boolean', default: false },
        only: { type: 'string' },
        edits: { type: 'boolean', default: false },
        stills: { type: 'string', default: '30' },
        motions: { type: 'string', default: '6' },
        pages: { type: 'string', default: '2000' },
        splits: { type: 'string', default: '50' },
      },
    })
  } catch (cause) {
    throw new InputError(`${(cause as Error).message}\n${usage}`, { cause })
  }
}

async function main(): Promise<void> {
  const { positionals, values } = readArguments()
  const { json, report, pictures } = values
  const measures: Record<string, (folder: string) => Promise<void>> = {
    clips: (folder) =>
      measureClips(folder, { stills: Number(values.stills), motions: Number(values.motions), json }),
    attacks: (folder) =>
      (values.edits ? measureEdits : measureAttacks)(folder, {
        stills: Number(values.stills),
        only: values.only,
        json,
      }),
    detect: (folder) => measureDetection(folder, json),
    documents: (folder) => measureDocuments(folder, { pages: Number(values.pages), json }),
    same: (folder) => measureSamePicture(folder, json),
    identify: (folder) => measureIdentification(folder, { splits: Number(values.splits), json }),
  }
  const named = measures[positionals[0] ?? '']
  const folder = positionals[named ? 1 : 0]
  if (!folder) throw new InputError(usage)
  if (pictures && !report) throw new InputError('--pictures needs --report FILE: the page shows them')
  if (named && report) throw new InputError(`--report is for pictures, not for ${positionals[0]}`)
  await (named ? named(folder) : measurePictures(folder, { json, report, pictures }))
}

try {
  await main()
} catch (error) {
  if (!(error instanceof InputError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(2)
}
