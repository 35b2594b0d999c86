import { describe, expect, it } from 'vitest'
import { isEmail, normalizeEmail } from '../../src/email-address.ts'

describe('e-mail addresses', () => {
  it.each([
    [' Ada@Example.COM ', 'ada@example.com'],
    ['jose\u0301@example.com', 'jos\u00e9@example.com'],
    ['JOSE\u0301@EXAMPLE.COM', 'jos\u00e9@example.com'],
    ['\u212bsa@example.com', '\u00e5sa@example.com'],
    ['ada@B\u00dcCHER.de', 'ada@b\u00fccher.de'],
  ])('that look the same are the same: %s', (sent, same) => {
    expect(normalizeEmail(sent)).toBe(same)
    expect(normalizeEmail(same)).toBe(same)
    expect(isEmail(same)).toBe(true)
  })

  it.each([
    'ada',
    'ada@',
    '@example.com',
    'ada@@example.com',
    'ada lovelace@example.com',
    'a\u200bda@example.com',
    'a\u200dda@example.com',
    'ada@exa\u00admple.com',
    'ada\u202e@example.com',
    'ada\u3164@example.com',
    'ada\u00a0@example.com',
    'ada\u0000@example.com',
    'ada\ud800@example.com',
    `${'a'.repeat(251)}@b.c`,
  ])('may not be %j', (text) => {
    expect(isEmail(normalizeEmail(text))).toBe(false)
  })
})
