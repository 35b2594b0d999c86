/** Parts that the schemas of answers share. Answers are written by the views; tests compare both. */
import * as v from 'valibot'

export const id = v.pipe(v.string(), v.uuid())
export const idOrNull = v.nullable(id)
export const text = v.string()
export const textOrNull = v.nullable(v.string())
export const count = v.pipe(v.number(), v.integer(), v.minValue(0))
/** A time in Unix seconds. */
export const time = v.pipe(v.number(), v.description('Unix seconds'))
export const timeOrNull = v.nullable(time)
export const score = v.pipe(v.number(), v.minValue(0), v.maxValue(1))
/** Fields of the caller, or members that releases may add. */
export const anyObject = v.record(v.string(), v.unknown())
export const noFields = v.strictObject({})

export const resolutionWords = [
  'INITIAL',
  'PROCESSING',
  'FAILED',
  'FINISHED',
  'DECLINED',
  'OPERATOR_REQUIRED',
  'SUCCESS',
] as const
export const resolution = v.picklist(resolutionWords)

/** A page of a list. */
export const listOf = <Item extends v.GenericSchema>(item: Item) =>
  v.strictObject({
    offset: count,
    limit: v.pipe(v.number(), v.integer(), v.description('−1 without a limit')),
    total_count: v.pipe(v.nullable(count), v.description('null with total_omit')),
    items: v.array(item),
  })
