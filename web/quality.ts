/** The quality of a sample as bars: each measure with the bounds of a usable one. */
import type { Bounds, Sample } from './detail.ts'

type Format = (value: number, digits: number) => string

/** Noise is in grey levels; room is in face sides, compression in steps between pixels that no block divides. */
const units = {
  pixels: (value: number) => `${Math.round(value)} px`,
  share: (value: number) => `${Math.round(value * 100)} %`,
  percent: (value: number, format: Format) => `${format(value, 1)} %`,
  levels: (value: number, format: Format) => `${format(value, 1)}/255`,
  times: (value: number, format: Format) => `${format(value, 1)}×`,
  none: (value: number, format: Format) => format(value, 3),
}

interface MeasureWords {
  name: string
  /** What a sample outside of the bounds is. */
  poor: string
  unit: keyof typeof units
}

export const qualityWords = {
  face_side: { name: 'Face size', poor: 'small', unit: 'pixels' },
  sharpness: { name: 'Sharpness', poor: 'soft', unit: 'none' },
  brightness: { name: 'Brightness', poor: 'dark or bright', unit: 'share' },
  underexposed: { name: 'Black pixels', poor: 'dark', unit: 'share' },
  overexposed: { name: 'White pixels', poor: 'bright', unit: 'share' },
  noise: { name: 'Noise', poor: 'noisy', unit: 'levels' },
  colour: { name: 'Colour', poor: 'grey', unit: 'percent' },
  surroundings: { name: 'Room around the face', poor: 'tight', unit: 'times' },
  blockiness: { name: 'Compression', poor: 'coarse', unit: 'times' },
} as const satisfies Record<string, MeasureWords>

type Word = (typeof qualityWords)[keyof typeof qualityWords]['name' | 'poor']

/** A scale on which the bounds have room on both sides. */
function scaleOf({ min, max }: Bounds): number {
  if (max !== undefined) return max <= 1 ? Math.min(1, max * 1.6) : max * 1.6
  return (min ?? 1) * 4
}

/** Signs of mathematics are the same in all languages. */
function rangeText({ min, max }: Bounds, write: (value: number) => string): string {
  if (min === undefined) return max === undefined ? '' : `≤ ${write(max)}`
  return max === undefined ? `≥ ${write(min)}` : `${write(min)} – ${write(max)}`
}

/** @param translate into the language of the page, which `format` writes decimals for */
export function qualityBars(
  quality: NonNullable<Sample['quality']>,
  bounds: Record<string, Bounds>,
  translate: (word: Word) => string = (word) => word,
  format: Format = (value, digits) => value.toFixed(digits),
) {
  return Object.entries(bounds).flatMap(([measure, bound]) => {
    const value = quality[measure]
    const words: (MeasureWords & { name: Word; poor: Word }) | undefined =
      qualityWords[measure as keyof typeof qualityWords]
    if (typeof value !== 'number' || !words) return []
    const { min, max } = bound
    const isGood = (min === undefined || value >= min) && (max === undefined || value <= max)
    const scale = scaleOf(bound)
    const write = (number: number) => units[words.unit](number, format)
    return {
      measure,
      name: translate(words.name),
      value: value / scale,
      marks: [min, max].filter((mark) => mark !== undefined).map((mark) => mark / scale),
      isGood,
      text: `${write(value)} (${rangeText(bound, write)})${isGood ? '' : `, ${translate(words.poor)}`}`,
    }
  })
}
