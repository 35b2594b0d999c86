/** Finds the most probable text for which check digits hold, and how probable it is that this text is the right one. */
import type { CharacterChoice } from '../reading.ts'
import { characterValue } from './check-digit.ts'

/** A character with its weights in the check digit of its field and in the composite one, modulo 10; 0 if it has none. */
export interface Slot {
  readonly choices: readonly CharacterChoice[]
  readonly own: number
  readonly composite: number
}

/** The most probable text so far among those with the same sums, and the probability of all of them. */
interface State {
  readonly best: number
  readonly mass: number
  readonly text: string
}

/** By the sums modulo 10: ten times that of the field, plus the composite one. */
type States = Map<number, State>

export interface Proof {
  /** One symbol for each slot; `null` if the check digits hold for no text. */
  readonly text: string | null
  /** Probability that this text is what is printed. */
  readonly probability: number
  /** Probability that the check digits do not hold as they are printed, rather than as they were read. */
  readonly broken: number
}

/**
 * How often the check digits of a printed zone do not hold: forgeries, specimens, mistakes. It decides whether a text that holds
 * only with an improbable reading is a mistake of the reader or of the document.
 */
const brokenShare = 0.02

const start: States = new Map([[0, { best: 1, mass: 1, text: '' }]])

const modulo10 = (value: number): number => ((value % 10) + 10) % 10

function extend(states: States, { choices, own, composite }: Slot): States {
  const next: States = new Map()
  for (const [key, state] of states) {
    for (const { symbol, probability } of choices) {
      const value = characterValue(symbol) ?? 0
      const reached =
        10 * modulo10(Math.floor(key / 10) + own * value) + modulo10((key % 10) + composite * value)
      const known = next.get(reached)
      const best = state.best * probability
      const mass = state.mass * probability + (known?.mass ?? 0)
      if (known && known.best >= best) next.set(reached, { ...known, mass })
      else next.set(reached, { best, mass, text: state.text + symbol })
    }
  }
  return next
}

/** Keeps the texts for which the check digit of the field holds. */
const keepValid = (states: States): States => new Map([...states].filter(([key]) => key < 10))

/**
 * Weighs all texts that the characters may be.
 * @param groups the characters of each field with its check digit, and those that only the composite check digit covers
 * @param checks number of check digits that must hold
 */
export function proveText(groups: readonly (readonly Slot[])[], checks: number): Proof {
  let states = start
  let considered = 1
  for (const group of groups) {
    for (const slot of group) {
      states = extend(states, slot)
      considered *= slot.choices.reduce((sum, { probability }) => sum + probability, 0)
    }
    states = keepValid(states)
  }
  const valid = states.get(0)
  // A symbol that the reader did not propose lets the check digits hold by chance.
  const chance = Math.max(0, 1 - considered) / 10 ** checks
  const broken = brokenShare * Math.max(0, considered - (valid?.mass ?? 0))
  const all = (valid?.mass ?? 0) + chance + broken
  return {
    text: valid?.text ?? null,
    probability: valid && all > 0 ? valid.best / all : 0,
    broken: all > 0 ? broken / all : 0,
  }
}
