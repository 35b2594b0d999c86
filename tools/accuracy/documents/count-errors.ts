/** Levenshtein distance. */
export function countErrors(read: string, truth: string): number {
  let row = Array.from({ length: truth.length + 1 }, (_, i) => i)
  for (const [i, symbol] of [...read].entries()) {
    const next = [i + 1]
    for (let j = 0; j < truth.length; j++)
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (symbol === truth[j] ? 0 : 1)))
    row = next
  }
  return row.at(-1)!
}
