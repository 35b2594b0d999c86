/** What callers may set of the thresholds that decide. */
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

type Named = 'threshold_spoofing' | 'threshold_min' | 'threshold_max' | 'decision_threshold'

/**
 * Where a threshold is at least as strict as the operator's. Of strangers and attacks too many must not pass, so that scores of
 * 1:1 may be asked to be higher and attack scores lower. Who is found in a collection is declined: there the stricter threshold
 * is the lower one, which finds more.
 */
function strictRanges(
  type: PayloadAnalysis['type'],
  { spoofingThreshold, matchThresholdMin, matchThresholdMax }: Thresholds,
): Partial<Record<Named, Range>> {
  if (type === 'liveness') return { threshold_spoofing: upTo(spoofingThreshold) }
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
 * A threshold that the caller may not set is refused rather than replaced, since the caller would take the verdict for another.
 * @throws {AppError} `value_invalid` with the name and what is allowed
 */
export function checkThresholds({ type, params }: PayloadAnalysis, settings: Thresholds): void {
  if (settings.callerThresholds === 'any') return
  for (const [name, { min, max }] of Object.entries(strictRanges(type, settings))) {
    const value = params[name as Named]
    if (value == null) continue
    if (settings.callerThresholds === 'none')
      throw new AppError('value_invalid', `${name} is set by the operator of this server: leave it out`, {
        details: { key_path: name },
      })
    if (value < min || value > max)
      throw new AppError('value_invalid', `${name} must be from ${min} to ${max} on this server`, {
        details: { key_path: name, min, max },
      })
  }
}
