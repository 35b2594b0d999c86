/** The quality of a sample as bars: each measure with the bounds of a usable one. */
import type { Bounds, Sample } from './detail.ts'

interface MeasureWords {
  name: string
  /** What a sample outside of the bounds is. */
  poor: string
  unit?: 'px' | '%'
}

export const qualityWords = {
  face_side: { name: 'Face size', poor: 'small', unit: 'px' },
  sharpness: { name: 'Sharpness', poor: 'soft' },
  brightness: { name: 'Brightness', poor: 'dark or bright', unit: '%' },
  underexposed: { name: 'Black pixels', poor: 'dark', unit: '%' },
  overexposed: { name: 'White pixels', poor: 'bright', unit: '%' },
  noise: { name: 'Noise', poor: 'noisy' },
  colour: { name: 'Colour', poor: 'grey' },
  surroundings: { name: 'Room around the face', poor: 'tight' },
  blockiness: { name: 'Compression', poor: 'coarse' },
} as const satisfies Record<string, MeasureWords>

type Word = (typeof qualityWords)[keyof typeof qualityWords]['name' | 'poor']

/** A scale on which the bounds have room on both sides. */
function scaleOf({ min, max }: Bounds): number {
  if (max !== undefined) return max <= 1 ? Math.min(1, max * 1.6) : max * 1.6
  return (min ?? 1) * 4
}

type Format = (value: number, digits: number) => string

function measureText(value: number, unit: MeasureWords['unit'], format: Format): string {
  if (unit === '%') return `${Math.round(value * 100)} %`
  if (unit === 'px') return `${Math.round(value)} px`
  return format(value, value < 1 ? 3 : 1)
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
    return {
      measure,
      name: translate(words.name),
      value: value / scale,
      marks: [min, max].filter((mark) => mark !== undefined).map((mark) => mark / scale),
      isGood,
      text: `${measureText(value, words.unit, format)}${isGood ? '' : `, ${translate(words.poor)}`}`,
    }
  })
}
