import { expect, it } from 'vitest'
import { KeyedCount } from '../../../src/queue/keyed-count.ts'

it('a count by keys forgets keys that hold nothing', () => {
  const count = new KeyedCount()
  count.add('a', 2)
  count.add('b', 3)
  count.add('a', -2)
  expect([count.total, count.of('a'), count.of('b'), count.keys()]).toEqual([3, 0, 3, ['b']])
})
