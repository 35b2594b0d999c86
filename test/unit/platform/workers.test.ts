/** Assets and settings that the Workers platform refuses. */
import { describe, expect, it, vi } from 'vitest'
import type { AppError } from '../../../src/errors.ts'
import { openWorkersPlatform } from '../../../src/platform/workers.ts'
import { readSettings } from '../../../src/settings.ts'

// Workers import compiled modules, which the test runner cannot.
vi.mock('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm', () => ({ default: null }))
vi.mock('@jsquash/png/codec/pkg/squoosh_png_bg.wasm', () => ({ default: null }))
vi.mock('@jsquash/webp/codec/dec/webp_dec.wasm', () => ({ default: null }))
vi.mock('../../../wasm/gallery/kernel.wasm', () => ({ default: null }))
vi.mock('../../../wasm/jpeg/jpeg.wasm', () => ({ default: null }))
vi.mock('../../../wasm/inference/kernel.wasm', () => ({ default: null }))
vi.mock('../../../wasm/picture/kernel.wasm', () => ({ default: null }))

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
  const error = (await openWorkersPlatform(assets, readSettings(environment)).catch(
    (thrown) => thrown,
  )) as AppError
  return [error.code, error.message, assets.asked.length]
}

describe('a Worker', () => {
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
