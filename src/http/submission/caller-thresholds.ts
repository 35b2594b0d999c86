/** Checks the decision thresholds that callers set. */
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

type Named =
  | 'threshold_spoofing'
  | 'threshold_replay'
  | 'threshold_liveness'
  | 'threshold_min'
  | 'threshold_max'
  | 'decision_threshold'

/**
 * The ranges in which a threshold is at least as strict as the operator's. In 1:1 a higher match threshold is stricter, and
 * a lower attack threshold is. A person found in a collection is declined, so there the lower threshold is stricter: it
 * finds more people.
 */
function strictRanges(
  type: PayloadAnalysis['type'],
  { spoofingThreshold, matchThresholdMin, matchThresholdMax }: Thresholds,
): Partial<Record<Named, Range>> {
  // The other two decline more than the attack score does, whatever their value.
  if (type === 'liveness')
    return {
      threshold_spoofing: upTo(spoofingThreshold),
      threshold_replay: upTo(1),
      threshold_liveness: from(0),
    }
  if (type === 'verification')
    return { threshold_min: from(matchThresholdMin), threshold_max: from(matchThresholdMax) }
  if (type !== 'identification') return {}
  return {
    threshold_min: upTo(matchThresholdMin),
    threshold_max: upTo(matchThresholdMax),
    decision_threshold: upTo(matchThresholdMin),
  }
}

/**
 * Refuses thresholds that the caller may not set. They are not replaced silently, since the caller would misread the result.
 * @throws {AppError} `value_invalid` with the name and the allowed range
 */
export function checkThresholds({ type, params }: PayloadAnalysis, settings: Thresholds): void {
  if (settings.callerThresholds === 'any') return
  for (const [name, { min, max }] of Object.entries(strictRanges(type, settings))) {
    const value = params[name as Named]
    if (value == null) continue
    if (settings.callerThresholds === 'none')
      throw new AppError('value_invalid', `${name} is set by the operator of this server: leave it out`, {
        details: { key_path: name },
        place: name,
      })
    if (value < min || value > max)
      throw new AppError('value_invalid', `${name} must be from ${min} to ${max} on this server`, {
        details: { key_path: name, min, max },
        place: name,
      })
  }
}
