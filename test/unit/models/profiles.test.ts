/** Which networks a profile runs, of any origin and of documented origin alone. */
import { describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/inference/engine.ts'
import { chooseProfile, type Manifest } from '../../../src/inference/manifest.ts'
import { readManifest } from '../../../src/platform/server-models.ts'
import { openPadMethod } from '../../../src/vision/pad/pad-method.ts'
import { openTemplateMethod } from '../../../src/vision/templates/registry.ts'

const manifest = await readManifest()
const noEngine: Engine = {
  async run() {
    throw new Error('not asked')
  },
}

const names = ['standard', 'embedded'] as const
const origins = ['any', 'documented'] as const
const all = names.flatMap((name) => origins.map((origin) => [name, origin] as const))

describe('networks of documented origin', () => {
  it.each(names)('are all that profile %s runs where MODEL_ORIGIN asks for it', (name) => {
    const { entries, profile, cohort } = chooseProfile(manifest, name, 'documented')
    expect(entries.map(({ origin }) => origin)).toEqual(entries.map(() => 'documented'))
    expect(profile.template).toBe('dlib-resnet29')
    expect(cohort).toMatchObject({ template: 'dlib-resnet29', templateModelId: 'dlib-resnet29-1' })
  })

  it('tell attacks without the undocumented one', () => {
    const pad = (origin: (typeof origins)[number]) =>
      names.map((name) => chooseProfile(manifest, name, origin).profile.pad)
    expect(pad('documented')).toEqual([['minifasnet-v2', 'minifasnet-v1se'], ['recapture-1']])
    expect(pad('any')).toEqual([
      ['minifasnet-v2', 'minifasnet-v1se', 'faceplugin-liveness'],
      ['faceplugin-liveness', 'recapture-1'],
    ])
  })
})

describe('a profile', () => {
  it.each(all)(
    '%s of origin %s has weights, a template method and a cohort of its templates',
    (name, origin) => {
      const { profile, cohort, entries } = chooseProfile(manifest, name, origin)
      expect(() => openPadMethod(noEngine, profile.pad)).not.toThrow()
      expect(openTemplateMethod(noEngine, profile.template).id).toBe(cohort.templateModelId)
      const ids = entries.map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      for (const id of [profile.detector, profile.landmarks, profile.template, ...profile.pad])
        expect(ids).toContain(id)
    },
  )

  it('without a template network that may be used is a mistake of the manifest', () => {
    const undocumented: Manifest = {
      ...manifest,
      models: manifest.models.map((model) => ({ ...model, origin: 'undocumented' })),
    }
    expect(() => chooseProfile(undocumented, 'standard', 'documented')).toThrow(TypeError)
    expect(() => chooseProfile({ ...manifest, cohorts: [] }, 'standard', 'any')).toThrow(TypeError)
    expect(() => chooseProfile({ ...manifest, models: [] }, 'standard', 'documented')).toThrow(TypeError)
  })
})
