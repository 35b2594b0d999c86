/** Pictures to try the service with: one for each outcome of a sandbox, and a passport that every server reads. */
import { sandboxNames } from '../../src/records/sandbox.ts'
import { sandboxOutcome } from '../../src/records/stage-analysis.ts'
import { type Drawing, drawText, fillBox, fillEllipse, newDrawing, writePng } from './drawing.ts'
import { drawPassport } from './sample-passport.ts'

const [width, height] = [480, 640]

function drawPerson(drawing: Drawing): void {
  fillEllipse(drawing, 2, [240, 560, 170, 165])
  fillBox(drawing, 0, [0, 560, width, height])
  fillEllipse(drawing, 1, [240, 270, 105, 140])
}

function drawDocument(drawing: Drawing): void {
  fillBox(drawing, 1, [40, 150, 440, 420])
  fillBox(drawing, 0, [70, 190, 180, 330])
  fillEllipse(drawing, 2, [125, 245, 32, 42])
  for (const y of [200, 240, 280]) fillBox(drawing, 2, [210, y, 410, y + 12])
  for (const y of [360, 385]) fillBox(drawing, 3, [70, y, 410, y + 10])
}

function drawName(drawing: Drawing, name: string): void {
  const text = name.replaceAll('_', ' ').toUpperCase()
  const size = Math.min(4, Math.floor((width - 20) / (6 * text.length)))
  drawText(drawing, text, Math.floor((width - 6 * size * text.length) / 2), 590, size)
}

/** The pictures by the names of the files that are served, such as `samples/no_face.png`. */
export function samplePictures(): ReadonlyMap<string, Uint8Array> {
  const outcomes = sandboxNames.map((name) => {
    const drawing = newDrawing(width, height)
    const isOfDocument =
      sandboxOutcome(name, 'liveness').code === null && sandboxOutcome(name, 'documents').code
    if (isOfDocument) drawDocument(drawing)
    else drawPerson(drawing)
    drawName(drawing, name)
    return [`samples/${name}.png`, writePng(drawing)] as const
  })
  return new Map([...outcomes, ['samples/passport.png', writePng(drawPassport())]])
}
