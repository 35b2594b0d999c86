import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { decodePart } from '../../../web/address.ts'
import { bodyOption, fileOption, quote, textOption } from '../../../web/curl.ts'

/** The words that a shell makes of a text. */
const words = (text: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${text}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

describe('commands to copy', () => {
  it.each(["it's", '$(id)', '`id`', 'a; id', '"', '\\', "'; id; '", '', 'two\nlines'])(
    'keep %j one word of a shell',
    (text) => {
      expect(words(quote(text))).toEqual([text])
    },
  )

  it('name one file, whatever characters its name has', () => {
    expect(words(fileOption('selfie', 'selfie.jpg,.env;type=text/html'))).toEqual([
      '-F',
      'selfie=@"selfie.jpg,.env;type=text/html"',
    ])
    expect(words(fileOption('selfie', 'a"b\\c\'d.jpg'))).toEqual(['-F', 'selfie=@"a\\"b\\\\c\'d.jpg"'])
  })

  it('have no characters that a terminal acts on', () => {
    expect(fileOption('selfie', '\u001b[201~\nid\u0007.jpg')).toBe(`-F 'selfie=@"_[201~_id_.jpg"'`)
    expect(bodyOption('\u001b[201~\nid.jpg')).toBe("--data-binary '@_[201~_id.jpg'")
    expect(textOption('payload', '@/etc/passwd\n')).toBe("--form-string 'payload=@/etc/passwd '")
  })
})

describe('a part of an address', () => {
  it.each([
    ['a%20b', 'a b'],
    ['%', '%'],
    ['%E0%A4%A', '%E0%A4%A'],
  ])('%s is read as %s', (part, read) => {
    expect(decodePart(part)).toBe(read)
  })
})
