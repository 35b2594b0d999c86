import { scryptAsync } from '@noble/hashes/scrypt.js'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import { checkPassword } from '../../../src/identity/password-rules.ts'
import { hashPassword, type Scrypt, verifyPassword } from '../../../src/identity/passwords.ts'
import { openServerScrypt } from '../../../src/platform/server-scrypt.ts'
import { anonymousCaller } from '../../../src/queue/caller.ts'

const serverScrypt = openServerScrypt()(anonymousCaller('a'))
const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
const utf8 = (text: string) => new TextEncoder().encode(text)

/** A fast replacement of scrypt that records its calls. */
function cheapScrypt() {
  const calls: Parameters<Scrypt>[] = []
  const scrypt: Scrypt = async (...asked) => {
    calls.push(asked)
    const [password, salt, , length] = asked
    const digest = await crypto.subtle.digest('SHA-256', new Uint8Array([...salt, ...password]))
    return new Uint8Array(digest).slice(0, length)
  }
  return { scrypt, calls }
}

describe('stored passwords', () => {
  it('a stored password is verified by the same password only', async () => {
    const stored = await hashPassword('correct horse', serverScrypt, randomBytes)
    expect(await verifyPassword('correct horse', stored, serverScrypt)).toBe(true)
    expect(await verifyPassword('correct horsf', stored, serverScrypt)).toBe(false)
    expect(await verifyPassword('', stored, serverScrypt)).toBe(false)
  })

  it('a stored password has its cost, a salt of 16 bytes and a hash of 32', async () => {
    const { scrypt, calls } = cheapScrypt()
    const salt = Uint8Array.from({ length: 16 }, (_, i) => i + 240)
    const stored = await hashPassword('p', scrypt, () => salt)
    expect(stored).toMatch(/^\$scrypt\$ln=15,r=8,p=1\$8PHy8\/T19vf4\+fr7\/P3\+\/w\$[A-Za-z0-9+/]{43}$/)
    expect(calls).toEqual([[utf8('p'), salt, { costLog2: 15, blockSize: 8, parallelism: 1 }, 32]])
  })

  it('equal passwords have different hashes', async () => {
    const { scrypt } = cheapScrypt()
    const twice = [hashPassword('same', scrypt, randomBytes), hashPassword('same', scrypt, randomBytes)]
    const [first, second] = await Promise.all(twice)
    expect(first).not.toBe(second)
  })

  it('a stored password is verified at its own cost', async () => {
    const { scrypt, calls } = cheapScrypt()
    const stored = (await hashPassword('old', scrypt, randomBytes)).replace('ln=15,r=8,p=1', 'ln=14,r=16,p=2')
    expect(await verifyPassword('old', stored, scrypt)).toBe(true)
    expect(calls.at(-1)?.[2]).toEqual({ costLog2: 14, blockSize: 16, parallelism: 2 })
  })

  it('passwords are equal however a keyboard composes their characters', async () => {
    const { scrypt } = cheapScrypt()
    const stored = await hashPassword('caf\u00e9 \ufb01', scrypt, randomBytes)
    expect(await verifyPassword('cafe\u0301 fi', stored, scrypt)).toBe(true)
    expect(await verifyPassword('cafe fi', stored, scrypt)).toBe(false)
  })

  it('checking the password of a missing user takes the work of a wrong password', async () => {
    const { scrypt, calls } = cheapScrypt()
    const stored = await hashPassword('known', scrypt, randomBytes)
    expect(await verifyPassword('guess', stored, scrypt)).toBe(false)
    expect(await verifyPassword('guess', null, scrypt)).toBe(false)
    const [, wrong, unknown] = calls
    expect(unknown?.slice(2)).toEqual(wrong?.slice(2))
    expect(unknown?.[1]).toHaveLength(16)
  })

  it('the password of a missing user is wrong even if the hash is equal', async () => {
    expect(await verifyPassword('x', null, async (_p, _s, _c, length) => new Uint8Array(length))).toBe(false)
  })

  it('passwords over 1024 bytes are refused before any work', async () => {
    const { scrypt, calls } = cheapScrypt()
    const longest = await hashPassword('a'.repeat(1024), scrypt, randomBytes)
    expect(await verifyPassword('a'.repeat(1024), longest, scrypt)).toBe(true)
    const done = calls.length
    for (const password of ['a'.repeat(1025), '\u20ac'.repeat(342), '\ufdfa'.repeat(100)]) {
      await expect(hashPassword(password, scrypt, randomBytes)).rejects.toMatchObject({
        code: 'password_weak',
      })
      expect(await verifyPassword(password, longest, scrypt)).toBe(false)
      expect(await verifyPassword(password, null, scrypt)).toBe(false)
    }
    expect(calls).toHaveLength(done)
  })

  it('no password is equal to the empty one or to another one', async () => {
    const cost = { costLog2: 15, blockSize: 8, parallelism: 1 }
    const keep = async (password: string) => {
      const bytes = utf8(password)
      const salt = randomBytes(16)
      const base64 = (value: Uint8Array) => Buffer.from(value).toString('base64').replace(/=+$/, '')
      return `$scrypt$ln=15,r=8,p=1$${base64(salt)}$${base64(await serverScrypt(bytes, salt, cost, 32))}`
    }
    const ofNuls = await keep('\0'.repeat(8))
    for (const password of ['', '\0', '\0'.repeat(8)])
      expect([password, await verifyPassword(password, ofNuls, serverScrypt)]).toEqual([password, false])
    const plain = await keep('long enough')
    expect(await verifyPassword('long enough', plain, serverScrypt)).toBe(true)
    expect(await verifyPassword('long enough\0', plain, serverScrypt)).toBe(false)
    const replaced = await keep('\ufffd'.repeat(8))
    expect(await verifyPassword('\ud800'.repeat(8), replaced, serverScrypt)).toBe(false)
    const tabbed = await keep('with a\ttab')
    expect(await verifyPassword('with a\ttab', tabbed, serverScrypt)).toBe(true)
  })

  it.each(['', '\0'.repeat(8), 'long enough\0', '\ud800'.repeat(8)])(
    'are not made of %j',
    async (password) => {
      const made = hashPassword(password, cheapScrypt().scrypt, randomBytes)
      await expect(made).rejects.toMatchObject({ code: 'password_weak' })
    },
  )

  const salt = 'A'.repeat(22)
  const hash = 'A'.repeat(43)
  it.each([
    `$scrypt$ln=30,r=8,p=1$${salt}$${hash}`,
    `$scrypt$ln=17,r=16,p=1$${salt}$${hash}`,
    `$scrypt$ln=15,r=999,p=1$${salt}$${hash}`,
    `$scrypt$ln=15,r=8,p=99$${salt}$${hash}`,
    `$scrypt$ln=0,r=8,p=1$${salt}$${hash}`,
    `$scrypt$ln=15,r=0,p=1$${salt}$${hash}`,
    `$scrypt$ln=15,r=8,p=0$${salt}$${hash}`,
    `$scrypt$ln=15,r=8,p=1$${salt}$`,
    `$scrypt$ln=15,r=8,p=1$$${hash}`,
    `$scrypt$ln=15,r=8,p=1$${salt}$${hash}\n`,
    `$argon2id$v=19$m=65536,t=3,p=1$${salt}$${hash}`,
    'plain text',
    '',
  ])('a malformed or too costly stored password is refused without work: %j', async (stored) => {
    const { scrypt, calls } = cheapScrypt()
    await expect(verifyPassword('x', stored, scrypt)).rejects.toThrow(TypeError)
    expect(calls).toEqual([])
  })
})

describe('scrypt of the servers', () => {
  it.each([
    { costLog2: 15, blockSize: 8, parallelism: 1 },
    { costLog2: 4, blockSize: 1, parallelism: 4 },
    { costLog2: 10, blockSize: 16, parallelism: 3 },
  ])('server scrypt agrees with another implementation at %j', async (cost) => {
    const [password, salt] = [utf8('pl\u00e4tze \u20ac'), randomBytes(16)]
    const options = { N: 2 ** cost.costLog2, r: cost.blockSize, p: cost.parallelism, dkLen: 32 }
    expect(await serverScrypt(password, salt, cost, 32)).toEqual(await scryptAsync(password, salt, options))
  })

  it('server scrypt gives the first test vectors of RFC 7914', async () => {
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
    const small = await serverScrypt(utf8(''), utf8(''), { costLog2: 4, blockSize: 1, parallelism: 1 }, 64)
    expect(hex(small)).toBe(
      '77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906',
    )
    const cost = { costLog2: 10, blockSize: 8, parallelism: 16 }
    const larger = await serverScrypt(utf8('password'), utf8('NaCl'), cost, 64)
    expect(hex(larger)).toBe(
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
    )
  })

  it('server scrypt works at the highest accepted cost', async () => {
    const cost = { costLog2: 17, blockSize: 8, parallelism: 1 }
    expect(await serverScrypt(utf8('x'), randomBytes(16), cost, 32)).toHaveLength(32)
  })

  it('server scrypt does not block the event loop', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    const cost = { costLog2: 15, blockSize: 8, parallelism: 1 }
    await serverScrypt(utf8('x'), randomBytes(16), cost, 32)
    clearInterval(timer)
    expect(turns).toBeGreaterThan(3)
  })

  it('server scrypt runs a few calls at a time, queues some and refuses the rest', async () => {
    const scrypt = openServerScrypt({ atOnceMax: 1, waitingMax: 2 })(anonymousCaller('a'))
    const cost = { costLog2: 10, blockSize: 8, parallelism: 1 }
    const ended: number[] = []
    const calls = [0, 1, 2, 3, 4].map((at) =>
      scrypt(utf8('x'), randomBytes(16), cost, 32).then(
        () => ended.push(at),
        (error: { code: string }) => error.code,
      ),
    )
    expect((await Promise.all(calls)).slice(3)).toEqual(['overloaded', 'overloaded'])
    expect(ended).toEqual([0, 1, 2])
    expect(await scrypt(utf8('x'), randomBytes(16), cost, 32)).toHaveLength(32)
  })

  it('server scrypt continues after a failed call', async () => {
    const scrypt = openServerScrypt({ atOnceMax: 1, waitingMax: 1 })(anonymousCaller('a'))
    for (let i = 0; i < 3; i++) {
      const cost = { costLog2: 0, blockSize: 8, parallelism: 1 }
      await expect(scrypt(utf8('x'), randomBytes(16), cost, 32)).rejects.not.toBeInstanceOf(AppError)
    }
  })
})

describe('the rules for passwords', () => {
  const codeOf = (password: string, lengthMin: number) => {
    try {
      checkPassword(password, { lengthMin })
      return 'allowed'
    } catch (error) {
      return (error as { code: string }).code
    }
  }

  it.each([
    ['1234567', 8, 'password_weak'],
    ['12345678', 8, 'allowed'],
    ['', 1, 'password_weak'],
    ['\u{1f600}'.repeat(7), 8, 'password_weak'],
    ['\u{1f600}'.repeat(8), 8, 'allowed'],
    ['e\u0301'.repeat(4), 8, 'password_weak'],
    ['\0'.repeat(8), 8, 'password_weak'],
    ['long enough\0', 8, 'password_weak'],
    ['long\tenough', 8, 'password_weak'],
    ['long\u0085enough', 8, 'password_weak'],
    ['\ud800'.repeat(8), 8, 'password_weak'],
    [' '.repeat(8), 8, 'password_weak'],
    ['\u200b'.repeat(8), 8, 'password_weak'],
    ['\u3164'.repeat(8), 8, 'password_weak'],
    ['four words with blanks', 8, 'allowed'],
  ])('the password rules say of %j (length %i): %s', (password, lengthMin, expected) => {
    expect(codeOf(password, lengthMin)).toBe(expected)
  })

  it('the password rules refuse a password too long to hash', () => {
    expect(codeOf('a'.repeat(1024), 8)).toBe('allowed')
    expect(codeOf('a'.repeat(1025), 8)).toBe('password_weak')
  })

  it('the message of the password rules does not contain the password', () => {
    const check = () => checkPassword('hunter2', { lengthMin: 9 })
    expect(check).toThrow(/at least 9 characters/)
    expect(check).not.toThrow(/hunter2/)
  })
})
