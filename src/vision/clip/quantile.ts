/** Quantile with linear interpolation between the two nearest values; `NaN` for an empty list. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((p, q) => p - q)
  const place = share * (sorted.length - 1)
  const [low, high] = [Math.floor(place), Math.ceil(place)]
  return sorted[low]! + (sorted[high]! - sorted[low]!) * (place - low)
}
