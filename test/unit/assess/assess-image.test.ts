import { expect, it } from 'vitest'
import { assessPhoto } from '../../fixtures/networks.ts'
import { portrait } from '../../fixtures/portraits.ts'

const nothing = { faces: false, template: false, pad: false, bestShot: false }
const pictures = ['thumbnail', 'snapshot', 'bestShot', 'portrait'] as const

it('makes only the pictures of a photo that were asked for', async () => {
  const photo = await portrait('redhead')
  const madeOf = async (wanted: Partial<Parameters<typeof assessPhoto>[1]>) => {
    const assessment = await assessPhoto(photo, { ...nothing, ...wanted })
    return pictures.filter((name) => assessment[name] !== null)
  }
  expect(await madeOf({})).toEqual([])
  expect(await madeOf({ faces: true, pad: true, template: true })).toEqual([])
  expect(await madeOf({ thumbnail: true })).toEqual(['thumbnail'])
  expect(await madeOf({ faces: true, bestShot: true })).toEqual(['bestShot'])
})
