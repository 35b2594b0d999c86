import { describe, expect, it } from 'vitest'
import type { Reason } from '../../../client/answers.ts'
import { CameraError } from '../../../client/capture/camera-error.ts'
import {
  codeOfError,
  isSpent,
  mayPassLater,
  textOfError,
  textOfFailure,
  titleOfError,
} from '../../../client/capture/trouble.ts'
import { NetworkError, TimeoutError, toApiError } from '../../../client/errors.ts'
import { failures } from '../../../src/decide/analysis.ts'
import { mediaReasons } from '../../../src/errors.ts'

const refusal = (status: number, code: number | null = null, details: object | null = null) =>
  toApiError(status, () => null, code === null ? '' : JSON.stringify({ error_code: code, details }))

describe('what went wrong with a capture', () => {
  it.each([
    [new NetworkError('gone'), 'offline', 'network', true],
    [new TimeoutError('slow'), 'slow', 'timeout', true],
    [refusal(429), 'busy', '429', true],
    [refusal(503, 8), 'busy', '8', true],
    [refusal(502), 'busy', '502', true],
    [refusal(500, 1), 'busy', '1', true],
    [refusal(501, 2), 'notOffered', '2', false],
    [refusal(400, 14), 'refused', '14', false],
    [refusal(401, 6), 'noAccess', '6', false],
    [refusal(403, 9), 'noAccess', '9', false],
    [refusal(400, 4, { reason: 'of_a_later_release' }), 'refused', '4', false],
    [new CameraError('noCamera'), 'noCamera', 'noCamera', false],
    [new DOMException('', 'EncodingError'), 'broken', 'internal', false],
  ])('%s: %s, code %s, may be sent again: %s', (error, text, code, isKept) => {
    expect([textOfError(error), codeOfError(error), mayPassLater(error)]).toEqual([text, code, isKept])
  })

  it('a refused container is told like a refused form', () => {
    const details = { key_path: 'selfie', reason: 'too_short', message: 'The video is too short' }
    const text = JSON.stringify({
      error_code: 4,
      error_message: 'Invalid request data',
      error_details: details,
    })
    const error = toApiError(400, () => null, text)
    expect([error.message, textOfError(error)]).toEqual([
      'Invalid request data: The video is too short',
      'tooShort',
    ])
  })

  it('only a medium that is refused is called unusable, and never "not passed"', () => {
    const titles = [new NetworkError('gone'), refusal(401, 6), refusal(400, 14), new DOMException()].map(
      titleOfError,
    )
    expect(titles).toEqual(Array(4).fill('trouble'))
    expect(titleOfError(refusal(400, 5, { reason: 'heic' }))).toBe('unusable')
  })

  it.each(mediaReasons)('says in its own words why a medium is refused: %s', (reason) => {
    const text = textOfError(refusal(400, 4, { key_path: 'selfie', reason }))
    expect(['refused', 'broken']).not.toContain(text)
  })

  it('says in its own words why an analysis failed', () => {
    const codes = Object.values(failures).map(({ code }) => code)
    const textOf = (error_code: number | null, ...reasons: Reason['code'][]) => {
      const told = reasons.map((code): Reason => ({ code, message: '', advice: '', media_ids: [] }))
      return textOfFailure({ error_code, technical_meta_data: { reasons: told } })
    }
    expect(codes.filter((code) => textOf(code) === 'incomplete')).toEqual([])
    expect([textOf(3101), textOf(3199), textOf(null), textOfFailure(null)]).toEqual(
      Array(4).fill('incomplete'),
    )
    expect([textOf(3005, 'grey', 'tight'), textOf(3005, 'tight'), textOf(3005, 'noisy')]).toEqual([
      'colourless',
      'farther',
      'poor',
    ])
  })

  it.each([
    ['less_light', 'lessLight'],
    ['nearer', 'nearerNow'],
    ['hold_still', 'steadier'],
    ['again', 'incomplete'],
    ['other_way', 'noLight'],
    ['of_a_later_release', 'noChallenge'],
    [null, 'noChallenge'],
  ])('says what to do where a clip does not tell whether a challenge was answered: %s', (advice, text) => {
    const found = { reasons: [], attack: null, measures: {} }
    const steps = [
      { ...found, step: 'approach', status: 'performed' as const, advice: null },
      { ...found, step: 'colours', status: 'cannot_tell' as const, advice },
    ]
    const challenge = { media_id: 'm', status: 'cannot_tell' as const, reasons: [], steps }
    const technical_meta_data = { challenges: [challenge] }
    expect(textOfFailure({ error_code: 3009, technical_meta_data })).toBe(text)
    expect(textOfFailure({ error_code: 3002, technical_meta_data })).toBe('noFace')
  })

  it('a container that is refused, or a link that ended, may have been accepted before', () => {
    const tooLarge = refusal(400, 14, { reason: 'too_large' })
    const errors = [refusal(400, 14), refusal(410, 221), refusal(400, 5), tooLarge, new NetworkError('gone')]
    expect(errors.map(isSpent)).toEqual([true, true, false, false, false])
  })
})
