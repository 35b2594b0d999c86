/** The screen lights the face with colours. */
import type { ColoursStep } from '../../../src/container/format.ts'
import { showColours } from './light.ts'
import { type StepKind, timeIn } from './step-kind.ts'

const isColour = /^#[0-9a-f]{6}$/i

/** Time of all colours of a step. */
export const lightMs = ({ colours }: ColoursStep): number => colours.reduce((sum, { ms }) => sum + ms, 0)

/** Whether the person asks for less movement: then the colours fade into each other. */
export const wantsSoftLight = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches

export const coloursKind: StepKind<ColoursStep> = {
  type: 'colours',
  restMs: 500,
  isShown: ({ colours }) => colours.every(({ colour, ms }) => isColour.test(colour) && ms > 0),
  usualMs: (step, wantsLight) => (wantsLight ? lightMs(step) : 0),
  async perform(step, scene) {
    const from = timeIn(scene)
    if (!scene.wantsLight) return { type: 'colours', from, to: from, skipped: true }
    const { view } = scene.stage
    const isSoft = wantsSoftLight()
    scene.ask('lit')
    try {
      const { signal } = scene
      const times = await showColours(step.colours, { isSoft, signal, paint: (colour) => view.light(colour) })
      const shown = times.map(([atMs, colour]) => [timeIn(scene, atMs), colour] as const)
      const [begun = from] = shown.map(([atMs]) => atMs)
      return { type: 'colours', from: begun, to: timeIn(scene), shown, ...(isSoft ? { soft: true } : {}) }
    } finally {
      view.light(null)
    }
  },
}
