/** Items of one kind, and the share of the time that they may take. */
export interface Part<Item> {
  share: number
  items: AsyncIterator<Item>
}

/**
 * Yields the items of several parts in turn, so that each part has had its share of the time whenever the caller stops. Parts
 * that end leave their time to the others.
 * @param nowMs a monotonic clock; making an item and what the caller does with it count for the item's part
 */
export async function* takeTurns<Item>(
  parts: readonly Part<Item>[],
  nowMs: () => number,
): AsyncGenerator<Item> {
  let turns = parts.map((part) => ({ ...part, spentMs: 0 }))
  while (turns.length > 0) {
    const turn = turns.reduce((least, one) =>
      one.spentMs / one.share < least.spentMs / least.share ? one : least,
    )
    const start = nowMs()
    const { value, done } = await turn.items.next()
    if (done) turns = turns.filter((one) => one !== turn)
    else yield value
    turn.spentMs += nowMs() - start
  }
}
