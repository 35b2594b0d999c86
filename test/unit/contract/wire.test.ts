import { describe, expect, it } from 'vitest'
import { encodeBase64 } from '../../../src/base64.ts'
import { decodeBase64 } from '../../../src/contract/base64.ts'
import { parseJsonObject } from '../../../src/contract/bounded-json.ts'
import { errorAnswer } from '../../../src/contract/error-table.ts'
import { newUserSchema } from '../../../src/contract/full/account-bodies.ts'
import { parsePayload } from '../../../src/contract/full/payload.ts'
import { newTemplateSchema } from '../../../src/contract/full/report-bodies.ts'
import { liteErrorAnswer } from '../../../src/contract/lite/error-table.ts'
import { readTemplate, writeTemplate } from '../../../src/contract/lite/template-file.ts'
import { parseWith } from '../../../src/contract/parse.ts'
import { type Json, spacedJson, spacedPieces } from '../../../src/contract/spaced-json.ts'
import { AppError } from '../../../src/errors.ts'
import { axisTemplate } from '../../fixtures/assessments.ts'
import { madeTemplate, templateLength, templateModelId } from '../../fixtures/templates.ts'

const errorOf = (work: () => unknown): AppError => {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('JSON', () => {
  it('JSON has a space after commas and colons and keeps the order of keys', () => {
    expect(spacedJson({ b: 1, a: [true, null, 'x"y'], c: {} })).toBe(
      '{"b": 1, "a": [true, null, "x\\"y"], "c": {}}',
    )
  })

  it('JSON strings stay unchanged at any depth', () => {
    const text = 'a,\n "b": [\n {,\u2028\\n'
    const value = { a: [{ b: { c: [[{ [text]: text, gone: undefined }, []], {}] } }] }
    const quoted = JSON.stringify(text)
    expect(spacedJson(value)).toBe(`{"a": [{"b": {"c": [[{${quoted}: ${quoted}}, []], {}]}}]}`)
  })

  it('JSON is UTF-8, omits undefined, and parses to the same value', () => {
    const value = { name: 'Ж', gone: undefined, n: [1, [2]] }
    expect(spacedJson(value)).toContain('Ж')
    expect(JSON.parse(spacedJson(value))).toEqual({ name: 'Ж', n: [1, [2]] })
  })

  it('large and deep values are written in small pieces', () => {
    let deep: Json = 'end'
    for (let depth = 0; depth < 64; depth++) deep = [depth, deep]
    const fields = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`key ${i}`, ['a b', i, null]]))
    const large = {
      empty: [],
      none: {},
      gone: undefined,
      deep,
      items: Array.from({ length: 20 }, () => fields),
    }
    const pieces = [...spacedPieces(large)]
    expect(pieces.length).toBeGreaterThan(10)
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(60_000)
    expect(pieces.join('')).toContain('{"empty": [], "none": {}, "deep": [63, [62, ')
    expect(JSON.parse(pieces.join(''))).toEqual(JSON.parse(JSON.stringify(large)))
    const { gone, ...given } = large
    expect(pieces.join('').replace(/, /g, ',').replace(/: /g, ':')).toBe(JSON.stringify(given))
  })
})

describe('base64', () => {
  const decode = (text: string) => decodeBase64(new TextEncoder().encode(text), async () => {})

  it('base64 round-trips for any length', async () => {
    for (const length of [0, 1, 2, 3, 70_000]) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 7) & 255)
      expect(await decode(encodeBase64(bytes))).toEqual(bytes)
      expect(await decode(encodeBase64(bytes).replace(/=/g, ''))).toEqual(bytes)
    }
  })

  it('base64 accepts line breaks and refuses other characters', async () => {
    expect(await decode('YW\r\nJj')).toEqual(Uint8Array.of(97, 98, 99))
    for (const text of ['not base64!', 'A', 'AB=', 'AB===', '====', '=', 'AB==AB==', 'ABCD=', 'ABé='])
      expect([text, await decode(text)]).toEqual([text, null])
  })

  it('decoding base64 yields to the event loop between pieces', async () => {
    const bytes = Uint8Array.from({ length: 1_500_000 }, (_, i) => (i * 31) & 255)
    let pauses = 0
    const coded = new TextEncoder().encode(encodeBase64(bytes).replace(/.{76}/g, '$&\r\n'))
    const decoded = await decodeBase64(coded, async () => void pauses++)
    expect(Buffer.from(decoded!).equals(bytes)).toBe(true)
    expect(pauses).toBeGreaterThanOrEqual(3)
  })
})

describe('payloads', () => {
  it('accepts a type in any case, and liveness for quality', () => {
    const { analyses } = parsePayload({
      analyses: [{ type: 'quality' }, { type: 'LiveNess' }, { type: 'BIOMETRY' }],
    })
    expect(analyses.map(({ type }) => type)).toEqual(['liveness', 'liveness', 'verification'])
  })

  it('ignores unknown keys', () => {
    expect(
      parsePayload({ analyses: [{ type: 'quality', new_thing: 1 }], additional_info: 'x' }).analyses,
    ).toHaveLength(1)
  })

  it.each([
    [{}, 'structure_invalid', 'analyses'],
    [{ analyses: [{}] }, 'structure_invalid', 'analyses.0.type'],
    [{ analyses: 'quality' }, 'type_invalid', 'analyses'],
    [{ analyses: null }, 'structure_invalid', 'analyses'],
    [{ analyses: [{ type: 7 }] }, 'type_invalid', 'analyses.0.type'],
    [{ analyses: [{ type: 'horoscope' }] }, 'value_invalid', 'analyses.0.type'],
    [
      { analyses: [{ type: 'quality', params: { threshold_spoofing: '0.5' } }] },
      'type_invalid',
      'analyses.0.params.threshold_spoofing',
    ],
    [
      { analyses: [{ type: 'quality', params: { threshold_spoofing: 2 } }] },
      'value_invalid',
      'analyses.0.params.threshold_spoofing',
    ],
    [{ analyses: [{ type: 'quality', params: [] }] }, 'type_invalid', 'analyses.0.params'],
    [
      { analyses: [{ type: 'quality', params: { treshold_spoofing: 0.5 } }] },
      'value_invalid',
      'analyses.0.params.treshold_spoofing',
    ],
    [{ analyses: [], 'media:tags': { a: 'photo_id' } }, 'type_invalid', 'media:tags.a'],
    [{ analyses: [], 'folder:meta_data': [] }, 'type_invalid', 'folder:meta_data'],
  ])('refuses %j', (payload, code, path) => {
    const error = errorOf(() => parsePayload(payload))
    expect([error.code, error.details]).toMatchObject([code, { key_path: path }])
  })

  it('names the parameter that was probably meant', () => {
    const refused = (name: string) =>
      errorOf(() => parsePayload({ analyses: [{ type: 'quality', params: { [name]: 0.5 } }] })).message
    expect(refused('treshold_spoofing')).toBe(
      "Unknown param 'treshold_spoofing'; did you mean 'threshold_spoofing'?",
    )
    expect(refused('weight')).toBe("Unknown param 'weight'")
  })

  it('takes null for what is not given', () => {
    const given = {
      'folder:meta_data': null,
      'media:meta_data': null,
      'media:tags': { a: null },
      extract_action_shot: null,
      resolution_endpoint: null,
      analyses: [
        { type: 'quality', source_media: null, params: null, meta_data: null, extract_action_shot: null },
      ],
    }
    const { analyses, ...folder } = parsePayload(given)
    expect(folder).toMatchObject({ 'folder:meta_data': {}, 'media:meta_data': {}, 'media:tags': { a: [] } })
    expect(analyses[0]).toMatchObject({ type: 'liveness', params: {}, meta_data: {}, source_media: null })
  })

  it('takes null for what has a default', () => {
    expect(parsePayload({ analyses: null }, { analyses: [] }).analyses).toEqual([])
  })

  it('accepts the parameters of every type that clients send', () => {
    const params = {
      capabilities: 492,
      fields_to_check: ['surname'],
      double_page_spread: true,
      threshold_replay: 0.4,
    }
    expect(parsePayload({ analyses: [{ type: 'documents', params }] }).analyses[0]!.params).toEqual(params)
  })

  const quality = (change: object) => ({ analyses: [{ type: 'quality', ...change }] })
  const user = { credentials: { email: 'a@b.test', password: 'p' } }
  const flags = ['extract_best_shot', 'extract_action_shot', 'double_page_spread'] as const

  it.each([
    [true, [true, 1, 'true', '1', 'True']],
    [false, [false, 0, 'false', '0', 'FALSE']],
  ])('takes %s as a boolean, number or text, wherever one is expected', (meaning, forms) => {
    for (const form of forms) {
      const params = Object.fromEntries(flags.map((name) => [name, form]))
      const payload = parsePayload({
        ...quality({ params, extract_action_shot: form }),
        ...{ extract_action_shot: form, detail: form },
      })
      const [analysis] = payload.analyses
      expect(flags.map((name) => analysis!.params[name])).toEqual([meaning, meaning, meaning])
      expect(analysis!.extract_action_shot).toBe(meaning)
      expect([payload.extract_action_shot, payload.detail]).toEqual([meaning, meaning])
      expect(parseWith(newUserSchema, { ...user, profile: { is_active: form } }).profile).toMatchObject({
        is_active: meaning,
      })
      expect(parseWith(newTemplateSchema, { name: 'a', attachments: form }).attachments).toBe(meaning)
    }
  })

  it.each(['', 'yes', 'constructor', 2, -1, 0.5, [], {}])('takes %j for no boolean', (value) => {
    const error = errorOf(() => parsePayload({ ...quality({}), extract_action_shot: value }))
    const details = { key_path: 'extract_action_shot', expected: 'true or false' }
    expect(error).toMatchObject({ code: 'type_invalid', details })
  })

  it.each([
    ['a medium named twice', quality({ source_media: ['a', 'b', 'a'] }), 'analyses.0.source_media'],
    [
      'a medium named twice among the parameters',
      quality({ params: { source_media: ['a', 'a'] } }),
      'analyses.0.params.source_media',
    ],
    [
      'more media than a folder can have',
      quality({ source_media: Array.from({ length: 101 }, (_, i) => `m${i}`) }),
      'analyses.0.source_media',
    ],
    ['more than 16 analyses', { analyses: Array(17).fill({ type: 'quality' }) }, 'analyses'],
  ])('refuses %s', (_, payload, path) => {
    const error = errorOf(() => parsePayload(payload))
    expect([error.code, error.details]).toMatchObject(['value_invalid', { key_path: path }])
  })

  it('accepts as many analyses and media as allowed', () => {
    const source_media = Array.from({ length: 100 }, (_, i) => `m${i}`)
    const { analyses } = parsePayload({ analyses: Array(16).fill({ type: 'quality', source_media }) })
    expect([analyses.length, analyses[15]?.source_media?.length]).toEqual([16, 100])
  })

  it('keeps keys of every name', () => {
    const text =
      '{"analyses": [], "folder:meta_data": {"__proto__": {"polluted": 1}, "constructor": 2, "prototype": 3, ".a": 4}, "media:tags": {"__proto__": ["x"], "constructor": ["y"]}, "media:meta_data": {"__proto__": {"__proto__": 5}}}'
    const payload = parsePayload(parseJsonObject(text))
    expect(spacedJson(payload as never)).toBe(
      '{"folder:meta_data": {"__proto__": {"polluted": 1}, "constructor": 2, "prototype": 3, ".a": 4}, "media:meta_data": {"__proto__": {"__proto__": 5}}, "media:tags": {"__proto__": ["x"], "constructor": ["y"]}, "analyses": []}',
    )
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(Object.getPrototypeOf(payload['folder:meta_data'])).toBe(Object.prototype)
  })

  it('errors name the key path under keys of every name', () => {
    const text = '{"analyses": [], "media:tags": {"__proto__": "x"}}'
    expect(errorOf(() => parsePayload(parseJsonObject(text)))).toMatchObject({
      code: 'type_invalid',
      details: { key_path: 'media:tags.__proto__' },
    })
  })

  it('refuses a number of metadata that no reader keeps', () => {
    const error = errorOf(() => parseJsonObject('{"folder:meta_data": {"id": 1e400}}'))
    expect([error.code, error.message.includes('text')]).toEqual(['value_invalid', true])
  })

  it.each(['12345678901234567890', '-9007199254740993', '[9007199254740993]'])(
    'keeps %s in metadata',
    (number) => {
      const payload = parsePayload(parseJsonObject(`{"folder:meta_data": {"id": ${number}}, "analyses": []}`))
      expect(spacedJson(payload['folder:meta_data'] as Json)).toBe(`{"id": ${number}}`)
    },
  )

  it('accepts numbers that are represented exactly, and any digits in text', () => {
    const text =
      '{"a": [9007199254740991, -1, 0.1234567890123456789, 1.5e300], "b\\\\": "12345678901234567890", "c\\"1": "\\" 12345678901234567890 1e999"}'
    expect(parseJsonObject(text)).toEqual(JSON.parse(text))
  })

  it('errors never repeat a value', () => {
    const error = errorOf(() => parsePayload({ analyses: [{ type: 'secret-value' }] }))
    expect(JSON.stringify([error.message, error.details])).not.toContain('secret-value')
  })

  it('refuses JSON that is not an object, or is nested too deeply', () => {
    for (const text of ['', '[1]', 'null', '{"a":', '7'])
      expect(errorOf(() => parseJsonObject(text)).code).toBe('structure_invalid')
    const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    expect(errorOf(() => parseJsonObject(deep)).code).toBe('value_invalid')
  })
})

describe('error bodies', () => {
  it('error bodies begin with error_code and have details under both names', () => {
    const { status, body } = errorAnswer(new AppError('value_invalid', 'no', { details: { key_path: 'x' } }))
    expect(status).toBe(400)
    expect(spacedJson(body)).toBe(
      '{"error_code": 4, "error_message": "no", "error_details": {"key_path": "x"}, "details": {"key_path": "x"}}',
    )
  })

  it('error bodies of server errors reveal nothing internal', () => {
    for (const code of ['internal', 'engine_unavailable'] as const) {
      const error = new AppError(code, '/etc/secret', { cause: new Error('stack') })
      expect(spacedJson(errorAnswer(error).body)).not.toContain('secret')
      expect(spacedJson(liteErrorAnswer(error).body)).not.toContain('secret')
    }
  })

  it.each([
    ['content_type_invalid', 400, 'BPE-002001'],
    ['method_not_allowed', 400, 'BPE-002002'],
    ['media_unreadable', 400, 'BPE-002003'],
    ['media_missing', 400, 'BPE-002003'],
    ['template_unreadable', 400, 'BPE-002004'],
    ['template_missing', 400, 'BPE-002004'],
    ['part_type_invalid', 400, 'BPE-002005'],
    ['no_template', 400, 'BPE-003001'],
    ['no_face', 400, 'BPE-003002'],
    ['several_faces', 400, 'BPE-003003'],
    ['overloaded', 500, 'BPE-001001'],
    ['internal', 500, 'BPE-001001'],
    ['engine_unavailable', 400, 'BPE-001002'],
  ] as const)('Lite reports %s as %i %s', (code, status, wire) => {
    expect(liteErrorAnswer(new AppError(code, ''))).toMatchObject({ status, body: { code: wire } })
  })
})

describe('template files', () => {
  const kind = { templateModelId, length: templateLength }
  const file = writeTemplate(madeTemplate(axisTemplate(3, 0.25)))

  it('a template file round-trips', () => {
    expect(readTemplate(file, kind).vector).toEqual(axisTemplate(3, 0.25))
  })

  it.each([
    ['no bytes', new Uint8Array()],
    ['a picture', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)],
    ['a cut template', file.subarray(0, -1)],
    ['a longer template', Uint8Array.of(...file, 0)],
    ['another version', file.map((byte, i) => (i === 4 ? 9 : byte))],
    ['another network', writeTemplate({ modelId: 'other-net', vector: axisTemplate(1) })],
    ['numbers that are none', writeTemplate(madeTemplate(axisTemplate(1).fill(Number.NaN)))],
    ['numbers beyond any face', writeTemplate(madeTemplate(axisTemplate(1).fill(3e38)))],
    ['a vector of length 5', writeTemplate(madeTemplate(axisTemplate(1).map((x) => x * 5)))],
    ['a vector of nothing', writeTemplate(madeTemplate(axisTemplate(1).fill(0)))],
  ])('a template file is refused with %s', (_, bytes) => {
    expect(errorOf(() => readTemplate(bytes, kind)).code).toBe('template_unreadable')
  })

  it('a template file with any changed byte is refused', () => {
    for (let at = 0; at < file.length; at++) {
      const broken = file.slice()
      broken[at] = broken[at]! ^ 1
      expect(errorOf(() => readTemplate(broken, kind)).code).toBe('template_unreadable')
    }
  })
})
