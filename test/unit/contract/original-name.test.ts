import { describe, expect, it } from 'vitest'
import { safeName } from '../../../src/contract/full/original-name.ts'

describe('the name of a file', () => {
  it.each([
    'me.jpg',
    'Zoë Müller (2).jpeg',
    '身份证.png',
    'a..b.jpg',
    '.hidden',
    'wanted/red/1.jpg',
    'no ending',
    'می\u200cخواهم.jpg',
    "o'neil & co.mp4",
  ])('keeps a safe file name: %s', (name) => expect(safeName(name)).toBe(name))

  it.each([
    ['../../etc/passwd', 'etc/passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['a/../../b//./c.jpg', 'a/b/c.jpg'],
    ['.\u200b./.\u0000./me.jpg', 'me.jpg'],
    ['C:\\fakepath\\me.jpg', 'fakepath/me.jpg'],
    ['/tmp/me.jpg', 'tmp/me.jpg'],
    ['a\u0000b\r\nc\u001b[31m.jpg', 'abc[31m.jpg'],
    ['me\u202egpj.exe', 'megpj.exe'],
    ['\ud800me.jpg', 'me.jpg'],
    ['..', null],
    ['../', null],
    ['\u0000', null],
    ['  ', null],
    ['', null],
    [null, null],
  ])('sanitises the file name %j', (sent, expected) => expect(safeName(sent)).toBe(expected))

  it('a file name is cut to 1024 whole characters', () => {
    expect(safeName('\u{1f600}'.repeat(1100))).toBe('\u{1f600}'.repeat(1024))
  })
})
