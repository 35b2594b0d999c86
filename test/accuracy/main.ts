/**
 * `npm run accuracy -- DIR [--json FILE]`: error rates of the running profile on labelled pictures.
 *
 * DIR holds `pairs.csv` and `pad/labels.csv`. The text goes to standard output, progress to standard error.
 *
 * `npm run accuracy -- clips DIR [--stills N] [--motions N] [--json FILE]`: the same for clips. DIR may hold `video/`, with
 * clips of people, and `faces/`, with pictures that become moved stills; without either its own pictures do. Of N pictures
 * (30) each is moved in N ways (all).
 *
 * `npm run accuracy -- identify DIR [--splits N] [--json FILE]`: errors of open-set 1:N search. DIR holds `faces/IDENTITY/`
 * with pictures.
 */
import { parseArgs } from 'node:util'
import { measureClips } from './clips.ts'
import { measureIdentification } from './identify.ts'
import { measurePictures } from './pictures.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    stills: { type: 'string', default: '30' },
    motions: { type: 'string', default: '6' },
    splits: { type: 'string', default: '50' },
  },
})
const measures: Record<string, (folder: string) => Promise<void>> = {
  clips: (folder) =>
    measureClips(folder, {
      stills: Number(values.stills),
      motions: Number(values.motions),
      json: values.json,
    }),
  identify: (folder) =>
    measureIdentification(folder, {
      splits: Number(values.splits),
      json: values.json,
    }),
}
const named = measures[positionals[0] ?? '']
const folder = positionals[named ? 1 : 0]
if (!folder) {
  process.stderr.write('usage: npm run accuracy -- [clips | identify] DIR [--json FILE]\n')
  process.exit(2)
}
await (named ? named(folder) : measurePictures(folder, values.json))
