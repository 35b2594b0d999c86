/** The value that a share of the values lies below, between the two nearest ones; `NaN` for no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((p, q) => p - q)
  const place = share * (sorted.length - 1)
  const [low, high] = [Math.floor(place), Math.ceil(place)]
  return sorted[low]! + (sorted[high]! - sorted[low]!) * (place - low)
}
