import { describe, expect, it } from 'vitest'
import { CameraChoice } from '../../../client/capture/camera-choice.ts'
import { CameraError, type CameraTrouble } from '../../../client/capture/camera-error.ts'

/** A device whose cameras open, unless a trouble is given for them. */
function setCameras(troubles: Record<string, CameraTrouble> = {}) {
  const asked: string[] = []
  const choice = new CameraChoice(async ({ deviceId, facing }) => {
    const camera = deviceId ?? facing
    asked.push(camera)
    if (troubles[camera]) throw new CameraError(troubles[camera])
    return camera
  })
  return { choice, asked }
}

describe('the camera that is opened', () => {
  it('faces the right way, unless another one was chosen for that way', async () => {
    const { choice, asked } = setCameras()
    await choice.open('environment')
    await choice.open('user')
    choice.choose('rear-2', 'environment')
    await choice.open('environment')
    await choice.open('user')
    expect(asked).toEqual(['environment', 'user', 'rear-2', 'user'])
  })

  it.each(['noCamera', 'cameraBusy'] as const)(
    'is another one if the chosen one fails with %s, which is forgotten',
    async (trouble) => {
      const { choice, asked } = setCameras({ gone: trouble })
      choice.choose('gone', 'user')
      expect(await choice.open('user')).toBe('user')
      await choice.open('user')
      expect(asked).toEqual(['gone', 'user', 'user'])
    },
  )

  it('is none where the person refuses it, and the person is asked once', async () => {
    const { choice, asked } = setCameras({ mine: 'cameraDenied' })
    choice.choose('mine', 'user')
    await expect(choice.open('user')).rejects.toMatchObject({ trouble: 'cameraDenied' })
    expect(asked).toEqual(['mine'])
  })

  it('is none if no other one opens either', async () => {
    const { choice, asked } = setCameras({ gone: 'noCamera', user: 'cameraBusy' })
    choice.choose('gone', 'user')
    await expect(choice.open('user')).rejects.toMatchObject({ trouble: 'cameraBusy' })
    expect(asked).toEqual(['gone', 'user'])
  })

  it('is that of the latest choice', async () => {
    const { choice, asked } = setCameras({ gone: 'noCamera' })
    choice.choose('gone', 'user')
    const first = choice.open('user')
    choice.choose('two', 'user')
    const second = choice.open('user')
    await expect(first).rejects.toMatchObject({ trouble: 'noCamera' })
    expect(await second).toBe('two')
    expect(asked).toEqual(['gone', 'two'])
  })
})
