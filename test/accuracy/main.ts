/**
 * `npm run accuracy -- DIR [--json FILE]`: error rates of the running profile on labelled pictures.
 *
 * DIR holds `pairs.csv` and `pad/labels.csv`. The text goes to standard output, progress to standard error.
 *
 * `npm run accuracy -- clips DIR [--stills N] [--motions N] [--json FILE]`: the same for clips. DIR may hold `video/`, with
 * clips of people, and `faces/`, with pictures that become moved stills; without either its own pictures do. Of N pictures
 * (30) each is moved in N ways (all).
 */
import { parseArgs } from 'node:util'
import { measureClips } from './clips.ts'
import { measurePictures } from './pictures.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    stills: { type: 'string', default: '30' },
    motions: { type: 'string', default: '6' },
  },
})
const isClips = positionals[0] === 'clips'
const folder = positionals[isClips ? 1 : 0]
if (!folder) {
  process.stderr.write('usage: npm run accuracy -- [clips] DIR [--json FILE]\n')
  process.exit(2)
}
await (isClips
  ? measureClips(folder, {
      stills: Number(values.stills),
      motions: Number(values.motions),
      json: values.json,
    })
  : measurePictures(folder, values.json))
