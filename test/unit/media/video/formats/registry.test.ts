import { describe, expect, it } from 'vitest'
import { sniffClip } from '../../../../../src/media/video/formats/registry.ts'

const bytes = (text: string) => Uint8Array.from([...text].map((letter) => letter.charCodeAt(0)))
const matroska = '\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1f\x42\x86\x81\x01\x42\x82\x84'

function packets(size: number, lead: number): Uint8Array {
  const stream = new Uint8Array(size * 3)
  for (let at = lead; at < stream.length; at += size) stream[at] = 0x47
  return stream
}

describe('sniffClip', () => {
  it.each([
    ['\0\0\0\x18ftypisom', 'mov', 'video/mp4'],
    ['\0\0\0\x18ftypqt  ', 'mov', 'video/quicktime'],
    ['\0\0\0\x18ftyp3gp4', 'mov', 'video/3gpp'],
    ['\0\0\0\x08wide\0\0\0\0mdat', 'mov', 'video/quicktime'],
    [`${matroska}webm`, 'matroska', 'video/webm'],
    [`${matroska}matroska`, 'matroska', 'video/x-matroska'],
    ['RIFF\0\0\0\0AVI LIST', 'avi', 'video/x-msvideo'],
    ['OggS\0', 'ogg', 'video/ogg'],
    ['\0\0\x01\xba\x21', 'mpeg', 'video/mpeg'],
    ['\x30\x26\xb2\x75\x8e\x66', 'asf', 'video/x-ms-wmv'],
  ])('knows %j as %s', (head, container, mimeType) => {
    expect(sniffClip(bytes(head))).toEqual({ container, mimeType })
  })

  it.each([
    [188, 0],
    [192, 4],
  ])('knows transport streams by packets of %i bytes', (size, lead) => {
    expect(sniffClip(packets(size, lead))?.container).toBe('mpegts')
  })

  it.each([
    ['nothing', ''],
    ['a GIF', 'GIF89a'],
    ['a HEIF picture', '\0\0\0\x18ftypheic'],
    ['a picture', '\x89PNG\r\n\x1a\n'],
    ['an archive', 'PK\x03\x04'],
    ['an elementary MPEG video stream', '\0\0\x01\xb3'],
    ['a playlist', '#EXTM3U\n'],
    ['a list of files', 'ffconcat version 1.0'],
    ['one sync byte of a transport stream', 'G'],
  ])('does not know %s', (_, head) => {
    expect(sniffClip(bytes(head))).toBeNull()
  })
})
