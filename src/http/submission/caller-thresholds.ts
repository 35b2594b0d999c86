/** Checks the decision thresholds that callers set. */
import type { AnalysisType } from '../../analyses/registry.ts'
import type { PayloadAnalysis } from '../../contract/full/payload.ts'
import { AppError } from '../../errors.ts'
import type { Settings } from '../../settings.ts'

type Thresholds = Pick<
  Settings,
  'callerThresholds' | 'spoofingThreshold' | 'matchThresholdMin' | 'matchThresholdMax'
>

interface Range {
  min: number
  max: number
}

const from = (min: number): Range => ({ min, max: 1 })
const upTo = (max: number): Range => ({ min: 0, max })

/** Every parameter of a request that is a threshold, by its name. */
type ThresholdName = Extract<keyof PayloadAnalysis['params'], `${string}threshold${string}`>

/** `null` if analyses of the type do not use the threshold. */
type Ranges = Readonly<Record<ThresholdName, Range | null>>

const unused = {
  threshold_spoofing: null,
  threshold_replay: null,
  threshold_liveness: null,
  threshold_min: null,
  threshold_max: null,
  decision_threshold: null,
} satisfies Ranges

/**
 * The ranges in which a threshold is at least as strict as the operator's. In 1:1 a higher match threshold is stricter, and
 * a lower attack threshold is. A person found in a collection is declined, so there the lower threshold is stricter: it
 * finds more people. A new type and a new threshold do not compile without an entry here.
 */
const strictRanges: Readonly<Record<AnalysisType, (own: Thresholds) => Ranges>> = {
  liveness: ({ spoofingThreshold }) => ({
    ...unused,
    threshold_spoofing: upTo(spoofingThreshold),
    // These two decline more than the attack score does, whatever their value.
    threshold_replay: upTo(1),
    threshold_liveness: from(0),
  }),
  verification: ({ matchThresholdMin, matchThresholdMax }) => ({
    ...unused,
    threshold_min: from(matchThresholdMin),
    threshold_max: from(matchThresholdMax),
  }),
  identification: ({ matchThresholdMin, matchThresholdMax }) => ({
    ...unused,
    threshold_min: upTo(matchThresholdMin),
    threshold_max: upTo(matchThresholdMax),
    decision_threshold: upTo(matchThresholdMin),
  }),
  documents: () => unused,
}

/**
 * Refuses thresholds that the caller may not set. They are not replaced silently, since the caller would misread the result.
 * @param index place of the analysis in the request
 * @throws {AppError} `value_invalid` with the name and the allowed range
 */
export function checkThresholds(
  { type, params }: PayloadAnalysis,
  index: number,
  settings: Thresholds,
): void {
  if (settings.callerThresholds === 'any') return
  for (const [name, range] of Object.entries(strictRanges[type](settings))) {
    const value = params[name as ThresholdName]
    if (value == null || range === null) continue
    const { min, max } = range
    const place = `analyses.${index}.params.${name}`
    if (settings.callerThresholds === 'none')
      throw new AppError('value_invalid', `${name} is set by the operator of this server: leave it out`, {
        details: { key_path: place },
        place,
      })
    if (value < min || value > max)
      throw new AppError('value_invalid', `${name} must be from ${min} to ${max} on this server`, {
        details: { key_path: place, min, max },
        place,
      })
  }
}
