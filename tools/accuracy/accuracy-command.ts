/** `npm run accuracy`: error rates of the running profile on labelled pictures and clips. */
import {
  type Command,
  describeUnknown,
  exitCodes,
  readArguments,
  readCount,
  UsageError,
} from '../../scripts/cli/command.ts'
import { measureAttacks } from './attacks.ts'
import { measureChallenge } from './challenge/measure-challenge.ts'
import { measureClips } from './clips.ts'
import { measureDetection } from './detect.ts'
import { measureDocuments } from './documents/measure-documents.ts'
import { measureEdits } from './edits.ts'
import { measureEngines } from './engines.ts'
import { measureIdentification } from './identify.ts'
import { measurePictures } from './pictures.ts'
import { measureSamePicture } from './same-picture.ts'

interface Options {
  json: string | undefined
  only: string | undefined
  edits: boolean
  stills: number
  minutes: number
  motions: number
  pages: number
  peers: number
  splits: number
  people: number
  clips: number
}

const measures: Record<string, (folder: string, options: Options) => Promise<void>> = {
  clips: (folder, { stills, motions, json }) => measureClips(folder, { stills, motions, json }),
  attacks: (folder, { edits, stills, minutes, only, json }) =>
    edits
      ? measureEdits(folder, { stills, only, minutesMax: minutes, json })
      : measureAttacks(folder, { stills, only, minutesMax: minutes, json }),
  challenge: (folder, { people, clips, json }) => measureChallenge(folder, { people, clips, json }),
  detect: (folder, { json }) => measureDetection(folder, json),
  documents: (folder, { pages, peers, minutes, json }) =>
    measureDocuments(folder, { pages, peers, minutesMax: minutes, json }),
  engines: (folder, { json }) => measureEngines(folder, json),
  same: (folder, { json }) => measureSamePicture(folder, json),
  identify: (folder, { splits, json }) => measureIdentification(folder, { splits, json }),
}

/** What is measured, and the folder. A folder alone has pictures. */
function readPlace([first, second, ...rest]: string[]): { measure: string | null; folder: string } {
  if (first !== undefined && second === undefined && !(first in measures))
    return { measure: null, folder: first }
  if (first === undefined || second === undefined || rest.length > 0) throw new UsageError('Name one folder')
  if (!(first in measures)) throw new UsageError(describeUnknown('measurement', first, Object.keys(measures)))
  return { measure: first, folder: second }
}

export const accuracyCommand: Command = {
  name: 'accuracy',
  summary: 'Measure error rates on labelled pictures and clips',
  usage: `usage: npm run accuracy -- DIR [--report FILE [--pictures]] [--json FILE]
       npm run accuracy -- (clips | attacks | challenge | detect | documents | engines | identify | same) DIR [--json FILE]

DIR contains pairs.csv, pad/labels.csv, or both (docs/accuracy.md). The text goes to standard output, progress to standard error.

  --report FILE   one HTML file with curves and intervals; with --pictures it shows the worst cases
  --json FILE     the same figures as JSON

  clips DIR [--stills N] [--motions N]      DIR may contain video/ with clips of people, and faces/ with pictures for moved stills;
                                            without faces/ the pictures in DIR itself. N pictures (default 30) are each moved in N
                                            ways (default 6)
  attacks DIR [--stills N] [--only TEXT] [--minutes N]
                                            animated and recaptured stills of the packages' portraits and of N pictures (default
                                            30), clips of the attacks of pad/labels.csv with edited frames, and clips with switched
                                            identities of N people of pairs.csv, if video/ has turning heads. The kinds take turns; no
                                            clip is begun after so many minutes (default 600)
  attacks DIR --edits [--stills N] [--minutes N]
                                            the effect of borders and other edits on the verdicts of photos
  challenge FILE                            recordings of people and attacks that /capture#measure has saved (docs/challenge.md)
  challenge DIR [--people N] [--clips N]
                                            answers to the light and the approach of a challenge, simulated with N people (default 210) of
                                            the pictures in DIR, by the groups of its PROVENANCE.csv (columns file, group); N of them
                                            (default 0) also as coded clips, which takes a minute each
  identify DIR [--splits N]                 open-set 1:N search; DIR contains faces/IDENTITY/ with pictures
  detect DIR                                the face detector; DIR may contain detection/, pairs.csv and bad/no_face/
  documents DIR [--pages N] [--peers N] [--minutes N]
                                            machine-readable zones: mrz_lines/, truth.csv with rendered pages, of which the first N
                                            are read, by other readers too the first N (default 0), or pictures of documents; no zone
                                            of a page is begun after so many minutes. With the table of render-hints.py the hints
  engines DIR                               mesh points of our inference engine and of the ONNX runtime; DIR contains pairs.csv
  same DIR                                  which pictures count as the same picture

Exit code: 0 done, 1 a folder or table cannot be used, 64 wrong usage.
`,
  async run(args) {
    const { values, positionals } = readArguments(args, {
      json: { type: 'string' },
      report: { type: 'string' },
      pictures: { type: 'boolean', default: false },
      only: { type: 'string' },
      edits: { type: 'boolean', default: false },
      stills: { type: 'string', default: '30' },
      minutes: { type: 'string', default: '600' },
      motions: { type: 'string', default: '6' },
      pages: { type: 'string', default: '2000' },
      peers: { type: 'string', default: '0' },
      splits: { type: 'string', default: '50' },
      people: { type: 'string', default: '210' },
      clips: { type: 'string', default: '0' },
    })
    const { json, report, pictures, only, edits } = values
    const { measure, folder } = readPlace(positionals)
    if (pictures && !report) throw new UsageError('--pictures needs --report FILE: the page shows them')
    if (measure !== null && report) throw new UsageError(`--report is for pictures, not for ${measure}`)
    const counts = {
      stills: readCount('stills', values.stills, { min: 0 }),
      minutes: readCount('minutes', values.minutes),
      motions: readCount('motions', values.motions, { min: 0 }),
      pages: readCount('pages', values.pages),
      peers: readCount('peers', values.peers, { min: 0 }),
      splits: readCount('splits', values.splits),
      people: readCount('people', values.people),
      clips: readCount('clips', values.clips, { min: 0 }),
    }
    if (measure === null) await measurePictures(folder, { json, report, pictures })
    else await measures[measure]!(folder, { json, only, edits, ...counts })
    return exitCodes.done
  },
}
