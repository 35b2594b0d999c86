/** Parts of a clip whose frames have one shape. A phone that is turned, or a recorder that adapts, changes it on the way. */

/** What comes from frames, by the part of the clip that they belong to. */
export function groupBySegment<T extends { segment: number }>(
  ofFrames: readonly T[],
): ReadonlyMap<number, readonly T[]> {
  const groups = new Map<number, T[]>()
  for (const one of ofFrames) {
    const group = groups.get(one.segment) ?? []
    group.push(one)
    groups.set(one.segment, group)
  }
  return groups
}
