import { expect, it } from 'vitest'
import { type EditRow, editReport, editText } from '../../../tools/accuracy/edits/edit-report.ts'
import { pictureEdits } from '../../../tools/accuracy/edits/picture-edits.ts'

const row = (name: string, edit: string | null, score: number | null, isBorder = false): EditRow => ({
  name,
  group: 'attacks',
  bonaFide: false,
  edit,
  isBorder,
  without: isBorder ? 'noise' : null,
  score,
})

const rows = [
  row('a', null, 0.9),
  row('a', 'grey', 0.1, true),
  row('a', 'noise', 0.8),
  row('b', null, 0.7),
  row('b', 'grey', 0.6, true),
  row('b', 'noise', 0.5),
  row('c', null, 0.2),
  row('c', 'grey', 0.3, true),
  row('c', 'noise', null),
  row('d', null, null),
]

it('counts what passes after an edit against what passes without, and declined attacks that any edit lets pass', () => {
  const [attacks, ...others] = editReport(rows, 0.5)
  expect(others).toEqual([])
  expect(attacks).toMatchObject({
    group: 'attacks',
    edits: [
      {
        edit: 'grey',
        decided: 3,
        passedBefore: 1,
        passed: 2,
        passedOfDeclined: 1,
        notDecided: 0,
        border: { decided: 2, passedWithout: 0, passed: 1, passedOfDeclined: 1 },
      },
      {
        edit: 'noise',
        decided: 2,
        passedBefore: 0,
        passed: 0,
        passedOfDeclined: 0,
        notDecided: 1,
        border: null,
      },
    ],
    switched: {
      declined: 2,
      afterOne: { edit: 'grey', passed: 1 },
      afterAny: 1,
      afterBorders: 1,
      afterOthers: 0,
    },
  })
  const text = editText([attacks!])
  expect(text).toContain('| grey | 1 of 3 | 0 of 2 | 1 | 2 of 3 | 1 of 2 | 0 |')
  expect(text).toContain('| noise | 0 of 2 | – | – | 0 of 2 | 0 of 2 | 1 |')
  expect(text).toContain(
    'With a border 1 of 2 pass, and 0 of the same pictures without it; 1 pass only with it. The largest change is 1 of 2 (grey).',
  )
  expect(text).toContain(
    'at most 1 pass after one and the same edit (grey), and 1 after at least one of the 2',
  )
})

it('says of people how many pass, and nothing of declined attacks', () => {
  const people = rows.map((one) => ({ ...one, group: 'people', bonaFide: true }))
  expect(editReport(people, 0.5)[0]).toMatchObject({ group: 'people', switched: null })
})

it('edits a picture in as many ways as it names, each with a size of its own', () => {
  const data = new Uint8ClampedArray(40 * 30 * 4).map((_, i) => (i * 7) % 256)
  const picture = { image: { width: 40, height: 30, data }, box: { x: 10, y: 5, width: 20, height: 20 } }
  const made = pictureEdits.map(({ name, quality, change }) => ({ name, quality, image: change(picture) }))
  const ways = made.map(({ quality, image }) => `${quality} ${image.width} ${image.data}`)
  expect(new Set(made.map(({ name }) => name)).size).toBe(pictureEdits.length)
  expect(new Set(ways).size).toBe(pictureEdits.length)
  const sizeOf = (name: string) => {
    const { width, height } = made.find((one) => one.name === name)!.image
    return [width, height]
  }
  expect(sizeOf('grey border, 30 %')).toEqual([64, 54])
  expect(sizeOf('grey border, 30 %, after a crop of 1.2 faces')).toEqual([38, 38])
  expect(sizeOf('half the size')).toEqual([20, 15])
  expect(sizeOf('twice the size')).toEqual([80, 60])
  for (const { image } of made) expect(image.data.length).toBe(image.width * image.height * 4)
})
