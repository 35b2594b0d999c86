/** Picks a number of items, spread evenly over the list; all if there are not more. */
export const spread = <T>(items: readonly T[], count: number): T[] =>
  count >= items.length
    ? [...items]
    : items.filter(
        (_, i) => Math.floor((i * count) / items.length) !== Math.floor(((i - 1) * count) / items.length),
      )
