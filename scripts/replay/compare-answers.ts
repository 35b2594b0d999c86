/** What two services answered to the same call: verdicts and scores, and nothing else of the answers. */

/** The parts of an answer that are compared. They name no person, and hold no media and no templates. */
export interface AnswerSummary {
  /** By what they are about: `answer`, `folder`, the type of an analysis. */
  verdicts: Record<string, string>
  scores: Record<string, number>
  /** Whether analyses still run. */
  isOpen: boolean
}

type Outcome = 'same' | 'scores' | 'verdicts'

export interface Comparison {
  outcome: Outcome
  /** Theirs and ours. */
  verdicts: Record<string, [string, string]>
  scores: Record<string, [number, number]>
}

type Members = Record<string, unknown>

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const scoreNames = ['confidence_spoofing', 'min_confidence', 'max_confidence', 'score']
const openStates = new Set(['INITIAL', 'PROCESSING'])
const word = (value: unknown): string | null =>
  typeof value === 'string' && /^\w{1,40}$/.test(value) ? value.toUpperCase() : null

function addScores(members: Members, prefix: string, scores: Record<string, number>): void {
  for (const name of scoreNames) {
    const value = members[name]
    if (typeof value === 'number' && Number.isFinite(value)) scores[`${prefix}${name}`] = value
  }
}

/** Reads an answer of the full or the Lite service, of any release. */
export function summariseAnswer(status: number, answer: unknown): AnswerSummary {
  const summary: AnswerSummary = { verdicts: {}, scores: {}, isOpen: false }
  const { verdicts, scores } = summary
  verdicts.answer = status < 400 ? 'OK' : 'REFUSED'
  if (!isMembers(answer) || status >= 400) return summary
  const folder = word(answer.system_resolution) ?? word(answer.resolution_status)
  // FINISHED says only that there is a verdict.
  if (folder && folder !== 'FINISHED') verdicts.folder = folder
  const passed = answer.passed ?? answer.decision
  if (typeof passed === 'boolean') verdicts.passed = String(passed).toUpperCase()
  else if (word(passed)) verdicts.decision = word(passed)!
  addScores(answer, '', scores)
  const counts = new Map<string, number>()
  for (const analysis of Array.isArray(answer.analyses) ? answer.analyses : []) {
    if (!isMembers(analysis)) continue
    const type = word(analysis.type) ?? 'ANALYSIS'
    const place = (counts.get(type) ?? 0) + 1
    counts.set(type, place)
    const name = place === 1 ? type : `${type} ${place}`
    const verdict = word(analysis.resolution_status) ?? word(analysis.resolution)
    if (verdict) verdicts[name] = verdict
    if (isMembers(analysis.results_data)) addScores(analysis.results_data, `${name} `, scores)
  }
  summary.isOpen = Object.values(verdicts).some((verdict) => openStates.has(verdict))
  return summary
}

/**
 * Compares what both name. A verdict that we lack is another verdict.
 * @param tolerance largest difference of scores that count as the same
 */
export function compareAnswers(theirs: AnswerSummary, ours: AnswerSummary, tolerance: number): Comparison {
  const pairs = <T>(a: Record<string, T>, b: Record<string, T>, none: T) =>
    Object.fromEntries(
      Object.entries(a).map(([name, value]): [string, [T, T]] => [name, [value, b[name] ?? none]]),
    )
  const verdicts = pairs(theirs.verdicts, ours.verdicts, 'NONE')
  const known = Object.entries(theirs.scores).filter(([name]) => name in ours.scores)
  const scores = pairs(Object.fromEntries(known), ours.scores, Number.NaN)
  const hasOtherVerdicts = Object.values(verdicts).some(([a, b]) => a !== b)
  const hasOtherScores = Object.values(scores).some(([a, b]) => Math.abs(a - b) > tolerance)
  return { outcome: hasOtherVerdicts ? 'verdicts' : hasOtherScores ? 'scores' : 'same', verdicts, scores }
}
