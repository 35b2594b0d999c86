import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseCsv } from '../../../tools/accuracy/csv.ts'
import { InputError } from '../../../tools/accuracy/input-error.ts'
import { checkWritable } from '../../../tools/accuracy/output-files.ts'
import { pairOf, personOf, readTables } from '../../../tools/accuracy/tables.ts'

const rowOf = (text: string) => pairOf(parseCsv(text, 'pairs.csv', ['image_a', 'image_b', 'same'])[0]!)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'accuracy-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('pairs.csv', () => {
  it('may name sources and groups', () => {
    expect(rowOf('image_a,image_b,same,source,group\nx/1.jpg,x/2.jpg,1,door,north\n')).toEqual({
      a: 'x/1.jpg',
      b: 'x/2.jpg',
      mated: true,
      source: 'door',
      group: 'north',
    })
    expect(rowOf('image_a,image_b,same\nx/1.jpg,x/2.jpg,0')).toMatchObject({ mated: false, group: '' })
  })

  it('gives two groups one name, whatever their order', () => {
    const head = 'image_a,image_b,same,group,group_b'
    expect(rowOf(`${head}\na,b,0,south,north`).group).toBe(rowOf(`${head}\na,b,0,north,south`).group)
    expect(rowOf(`${head}\na,b,0,south,`).group).toBe('south')
  })

  it('may come from a spreadsheet: byte order mark, carriage returns, quotes', () => {
    expect(rowOf('\uFEFFimage_a,image_b,same\r\n"x/Doe, ""J"".jpg",b,1\r\n').a).toBe('x/Doe, "J".jpg')
  })

  it.each([
    ['a column that is missing', 'image_a,image_b\na,b', 'same'],
    ['a cell too many', 'image_a,image_b,same\na,b,1,2', 'line 2'],
    ['another value', 'image_a,image_b,same\na,b,yes', 'line 2: same'],
    ['a picture that is missing', 'image_a,image_b,same\n\na,,1', 'line 3'],
  ])('is refused for %s, which the message names', (_, text, named) => {
    expect(() => rowOf(text)).toThrow(InputError)
    expect(() => rowOf(text)).toThrow(named)
  })
})

it('tells people by their folder below faces', () => {
  expect(personOf('faces/ann/1.jpg')).toBe(personOf('faces/ann/2020/2.jpg'))
  expect(personOf('faces/ann/1.jpg')).not.toBe(personOf('faces/bob/1.jpg'))
  expect(personOf('faces/1.jpg')).not.toBe(personOf('faces/2.jpg'))
  expect(personOf('ann/1.jpg')).toBe('ann')
})

describe('before the work starts', () => {
  it('a folder without tables is refused', async () => {
    await expect(readTables(folder)).rejects.toThrow('pairs.csv')
    await expect(readTables(path.join(folder, 'absent'))).rejects.toThrow(InputError)
  })

  it('a file that could not be written is refused by the name of its option', async () => {
    await expect(checkWritable('--report', folder)).rejects.toThrow('--report')
    await expect(checkWritable('--report', path.join(folder, 'absent', 'a.html'))).rejects.toThrow(InputError)
    await expect(checkWritable('--report', path.join(folder, 'a.html'))).resolves.toBeUndefined()
  })
})
