import { describe, expect, it } from 'vitest'
import { tellGestures } from '../../../web/capture/gesture-words.ts'

type Analyses = Parameters<typeof tellGestures>[0]['analyses']

const found = (...gestures: [gesture: string, performed: boolean][]) => {
  const shown = gestures.map(([gesture, performed]) => ({ gesture, performed }))
  return { analyses: [{ technical_meta_data: { gestures: shown } }] as unknown as NonNullable<Analyses> }
}

describe('what the page says of a gesture', () => {
  it.each([
    ['en', true, 'Gesture asked for: smile. The server saw it.'],
    ['en', false, 'Gesture asked for: smile. The server did not see it.'],
    ['de', true, 'Verlangte Geste: lächeln. Der Server hat sie gesehen.'],
    ['de', false, 'Verlangte Geste: lächeln. Der Server hat sie nicht gesehen.'],
    ['ru', true, 'Просьба: улыбнуться. Сервер это увидел.'],
    ['ru', false, 'Просьба: улыбнуться. Сервер этого не увидел.'],
    ['es', true, 'Gesto pedido: sonreír. El servidor lo ha visto.'],
    ['es', false, 'Gesto pedido: sonreír. El servidor no lo ha visto.'],
  ] as const)('in %s, performed: %s', (language, performed, text) => {
    expect(tellGestures(found(['smile', performed]), ['smile'], language)).toBe(text)
  })

  it('is nothing if the server tells nothing about it', () => {
    const silent = { analyses: [{ technical_meta_data: {} }] as unknown as NonNullable<Analyses> }
    for (const folder of [{}, silent, found(['left', true])])
      expect(tellGestures(folder, ['smile'], 'en')).toBe('')
  })

  it('is nothing for a gesture that the person was not asked for, or that needs nothing but a face', () => {
    expect(tellGestures(found(['smile', false]), [], 'en')).toBe('')
    expect(tellGestures(found(['scan', false], ['blank', true]), ['scan', 'blank'], 'en')).toBe('')
  })
})
