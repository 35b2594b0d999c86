/** Assets and settings that the Workers platform refuses. */
import { describe, expect, it, vi } from 'vitest'
import type { AppError } from '../../../src/errors.ts'
import { openWorkersPlatform } from '../../../src/platform/workers.ts'
import { WorkersBackground } from '../../../src/platform/workers-background.ts'
import { readSettings } from '../../../src/settings.ts'

// Workers import compiled modules, which the test runner cannot.
vi.mock('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm', () => ({ default: null }))
vi.mock('@jsquash/png/codec/pkg/squoosh_png_bg.wasm', () => ({ default: null }))
vi.mock('@jsquash/webp/codec/dec/webp_dec.wasm', () => ({ default: null }))
vi.mock('../../../wasm/gallery/kernel.wasm', () => ({ default: null }))
vi.mock('../../../wasm/h264/h264.wasm', () => ({ default: null }))
vi.mock('../../../wasm/jpeg/jpeg.wasm', () => ({ default: null }))
vi.mock('../../../wasm/inference/kernel.wasm', () => ({ default: null }))
vi.mock('../../../wasm/picture/kernel.wasm', () => ({ default: null }))
vi.mock('../../../wasm/registration/kernel.wasm', () => ({ default: null }))
vi.mock('../../../wasm/vp8/vp8.wasm', () => ({ default: null }))
vi.mock('#video-module', () => ({ default: null }))

/** Assets with a profile and no networks, and the requested ones. */
function assetsOf(profile: object) {
  const asked: string[] = []
  const fetch = async (address: string): Promise<Response> => {
    const name = new URL(address).pathname.slice(1)
    asked.push(name)
    return name === 'profile.json' ? Response.json(profile) : new Response(null, { status: 404 })
  }
  return { asked, fetch }
}

async function refusal(
  profile: object,
  environment: Record<string, string>,
): Promise<[string, string, number]> {
  const assets = assetsOf(profile)
  const settings = readSettings({ SVC_APP_COMPONENTS: 'stateless', ...environment })
  const background = new WorkersBackground(null, () => 0)
  const opening = openWorkersPlatform({ ASSETS: assets }, settings, background)
  const error = (await opening.catch((thrown) => thrown)) as AppError
  return [error.code, error.message, assets.asked.length]
}

describe('a Worker', () => {
  it.each([
    [{ SVC_APP_COMPONENTS: 'auth,stateful,oz_collections' }, 'value_invalid', /DATABASE_URL/],
    [{ SVC_APP_COMPONENTS: 'auth,stateful', DATABASE_URL: 'file:x.db' }, 'value_invalid', /DATABASE_URL/],
    [{ SVC_APP_COMPONENTS: 'auth,stateful', DATABASE_URL: 'https://db.test' }, 'value_invalid', /MEDIA/],
    [{ SVC_JWT_PRIVATE_KEY_PATH: '/key' }, 'value_invalid', /files/],
    [{ STORAGE_KEYS: '/keys' }, 'value_invalid', /STORAGE_KEYS as its text/],
  ])('refuses the settings %j before it reads anything', async (environment, expected, text) => {
    const [code, message, asked] = await refusal({ profile: 'embedded', origin: 'any' }, environment)
    expect([code, asked]).toEqual([expected, 0])
    expect(message).toMatch(text)
  })

  it('a Worker with MODEL_ORIGIN=documented refuses other assets before it reads a network', async () => {
    const [code, message, asked] = await refusal(
      { profile: 'embedded', origin: 'any' },
      { MODEL_ORIGIN: 'documented' },
    )
    expect([code, asked]).toEqual(['engine_unavailable', 1])
    expect(message).toMatch(/MODEL_ORIGIN/)
  })

  it('a Worker refuses assets of another profile', async () => {
    const [code, message, asked] = await refusal(
      { profile: 'embedded', origin: 'documented' },
      { MODEL_PROFILE: 'standard' },
    )
    expect([code, asked]).toEqual(['engine_unavailable', 1])
    expect(message).toMatch(/MODEL_PROFILE/)
  })

  it.each([
    [{ profile: 'embedded', origin: 'documented' }, { MODEL_ORIGIN: 'documented' }],
    [{ profile: 'embedded', origin: 'documented' }, {}],
    [{ profile: 'embedded', origin: 'any' }, { MODEL_PROFILE: 'embedded' }],
  ])('a Worker reads the networks with assets %j and settings %j', async (profile, environment) => {
    const [code, message, asked] = await refusal(profile, environment)
    expect([code, asked]).toEqual(['engine_unavailable', 2])
    expect(message).toMatch(/answers 404/)
  })
})
