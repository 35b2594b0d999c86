/** Splits one run into consecutive stages, so the stages always add up to the total. */
export function startStopwatch() {
  const stages = {}
  const started = performance.now()
  let last = started
  return {
    stages,
    lap(stage, at = performance.now()) {
      stages[stage] = at - last
      last = at
    },
    total: () => last - started,
  }
}
