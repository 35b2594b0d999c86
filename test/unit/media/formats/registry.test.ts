import { describe, expect, it } from 'vitest'
import { pictureFormats } from '../../../../src/media/formats/registry.ts'
import { extensionOfType, isPictureType, typeOfExtension } from '../../../../src/records/file-types.ts'

describe.each(pictureFormats)('$name', (format) => {
  it('is stored under its type and its extension', () => {
    expect(extensionOfType(format.mimeType)).toBe(format.extensions[0])
    for (const extension of format.extensions) expect(typeOfExtension(extension)).toBe(format.mimeType)
  })

  it('may be declared by all of its types', () => {
    for (const type of [format.mimeType, ...(format.otherMimeTypes ?? [])])
      expect(isPictureType(type)).toBe(true)
  })

  it('shares no name, type and extension with another one', () => {
    const known = ({ id, name, mimeType, otherMimeTypes = [], extensions }: typeof format) => [
      ...[id, name, mimeType, ...otherMimeTypes],
      ...extensions.map((extension) => `.${extension}`),
    ]
    const others = new Set(pictureFormats.filter((other) => other !== format).flatMap(known))
    expect(known(format).filter((word) => others.has(word))).toEqual([])
  })
})
