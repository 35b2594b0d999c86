import { describe, expect, it } from 'vitest'
import { CameraError } from '../../../client/capture/camera-error.ts'
import { codeOfError, isSpent, mayPassLater, textOfError } from '../../../client/capture/trouble.ts'
import { NetworkError, TimeoutError, toApiError } from '../../../client/errors.ts'

const refusal = (status: number, code: number | null = null) =>
  toApiError(status, () => null, code === null ? '' : JSON.stringify({ error_code: code }))

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
    [refusal(401, 6), 'refused', '6', false],
    [new CameraError('noCamera'), 'noCamera', 'noCamera', false],
    [new DOMException('', 'EncodingError'), 'refused', 'internal', false],
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

  it('a container that is refused may have been accepted before', () => {
    expect([refusal(400, 14), refusal(400, 5), new NetworkError('gone')].map(isSpent)).toEqual([
      true,
      false,
      false,
    ])
  })
})
