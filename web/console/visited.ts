/** The cases that were shown in this tab, for the way back. */

const visited: string[] = []

export function visit(id: string): void {
  if (visited.at(-1) !== id) visited.push(id)
}

/** Leaves the last one. @returns the one before; `null` if there is none */
export function leave(): string | null {
  if (visited.length < 2) return null
  visited.pop()
  return visited.at(-1)!
}
