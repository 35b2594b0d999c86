/** The order of waiting media. */
import { describe, expect, it } from 'vitest'
import { FairScheduler, type Waiting } from '../../../src/queue/fair-scheduler.ts'

interface Job extends Waiting {
  name: string
}

/** @param of an address without a company, or `company/address` */
const job = (of: string, costMs: number, name = of): Job => {
  const [company, address = company] = of.includes('/') ? of.split('/') : ['anonymous', of]
  return { caller: { company: company!, address: address! }, costMs, name }
}

const isCheap = ({ costMs }: Job): boolean => costMs < 1000

function lineOf(...jobs: Job[]): FairScheduler<Job> {
  const line = new FairScheduler<Job>()
  for (const [at, each] of jobs.entries()) line.add(each, at)
  return line
}

function takeAll(line: FairScheduler<Job>): string[] {
  const names: string[] = []
  for (let next = line.take(); next; next = line.take()) {
    names.push(next.name)
    line.settle(next, next.costMs)
  }
  return names
}

describe('FairScheduler', () => {
  it('keeps the order of equal media of one caller', () => {
    expect(takeAll(lineOf(job('a', 100, '1'), job('a', 100, '2'), job('a', 100, '3')))).toEqual([
      '1',
      '2',
      '3',
    ])
  })

  it('takes cheap media of a caller before expensive ones', () => {
    expect(takeAll(lineOf(job('a', 4000, 'clip'), job('a', 100, 'photo')))).toEqual(['photo', 'clip'])
  })

  it('takes an expensive medium before cheap ones that arrive much later', () => {
    const line = lineOf(job('a', 1000, 'clip'))
    line.add(job('a', 100, 'soon'), 500)
    line.add(job('a', 100, 'late'), 5000)
    expect(takeAll(line)).toEqual(['soon', 'clip', 'late'])
  })

  it('does not let a caller with many media delay another one', () => {
    const greedy = Array.from({ length: 50 }, (_, i) => job('greedy', 4000, `g${i}`))
    const names = takeAll(lineOf(...greedy, job('honest', 200, 'h0'), job('honest', 200, 'h1')))
    expect(names.indexOf('h0')).toBe(0)
    expect(names.indexOf('h1')).toBe(1)
    expect(names).toHaveLength(52)
  })

  it('takes callers with equal media in turn', () => {
    const ofA = Array.from({ length: 4 }, (_, i) => job('a', 100, `a${i}`))
    const ofB = Array.from({ length: 4 }, (_, i) => job('b', 100, `b${i}`))
    const names = takeAll(lineOf(...ofA, ...ofB))
    for (let turn = 0; turn < 8; turn += 2)
      expect([names[turn]![0], names[turn + 1]![0]].sort()).toEqual(['a', 'b'])
  })

  it('does not let ever new callers starve one', () => {
    const line = lineOf(job('old', 100, 'old0'), job('old', 100, 'old1'), job('old', 100, 'old2'))
    const taken: string[] = []
    for (let i = 0; i < 40; i++) {
      line.add(job(`new ${i}`, 100), i)
      const next = line.take()!
      taken.push(next.name)
      line.settle(next, 100)
    }
    expect(taken).toContain('old2')
  })

  it('charges the cost beyond the estimate', () => {
    const line = lineOf(
      job('liar', 100, 'l0'),
      job('liar', 100, 'l1'),
      job('b', 100, 'b0'),
      job('b', 100, 'b1'),
    )
    const first = line.take()!
    expect(first.name).toBe('l0')
    line.settle(first, 10_000)
    expect(takeAll(line)).toEqual(['b0', 'b1', 'l1'])
  })

  it('gives each company the same share, however many addresses it has', () => {
    const many = Array.from({ length: 20 }, (_, i) => job(`big/${i}`, 100, `b${i}`))
    const few = Array.from({ length: 4 }, (_, i) => job('small/1', 100, `s${i}`))
    const begun = takeAll(lineOf(...many, ...few)).slice(0, 8)
    expect(begun.filter((name) => name.startsWith('s'))).toHaveLength(4)
  })

  it('divides the share of a company between its addresses', () => {
    const flood = Array.from({ length: 20 }, (_, i) => job('one/flood', 100, `f${i}`))
    const names = takeAll(lineOf(...flood, job('one/other', 100, 'o0'), job('one/other', 100, 'o1')))
    expect(Math.max(names.indexOf('o0'), names.indexOf('o1'))).toBeLessThan(4)
  })

  it('takes an occasional address before eighty that always wait', () => {
    const line = lineOf(...Array.from({ length: 80 }, (_, i) => job(`greedy ${i}`, 100)))
    const serve = () => {
      const next = line.take()!
      line.settle(next, next.costMs)
      if (next.name.startsWith('greedy')) line.add(job(next.name, 100), 1)
      return next.name
    }
    for (let i = 0; i < 400; i++) serve()
    for (let call = 0; call < 5; call++) {
      line.add(job('honest', 100), 1)
      expect(serve()).toBe('honest')
      for (let i = 0; i < 160; i++) serve()
    }
  })

  it.each([
    { estimate: 150, real: 50 },
    { estimate: 150, real: 400 },
    { estimate: 5000, real: 50 },
  ])(
    'takes who comes now and then first, with estimates of $estimate ms for $real ms',
    ({ estimate, real }) => {
      const line = lineOf(...Array.from({ length: 60 }, () => job('greedy', estimate)))
      const running = [line.take()!, line.take()!]
      const finishOne = () => {
        line.settle(running.shift()!, real)
        line.add(job('greedy', estimate), 1)
        running.push(line.take()!)
        return running.at(-1)!.name
      }
      for (let i = 0; i < 200; i++) {
        line.add(job('honest', 150), 1)
        expect(finishOne()).toBe('honest')
        for (let other = 0; other < 3; other++) expect(finishOne()).toBe('greedy')
      }
    },
  )

  it('serves those who always wait equally, whatever their estimates', () => {
    const ms = { a: 50, b: 400, c: 100 }
    const line = lineOf(job('a', 150), job('b', 150), job('c', 150))
    const served: Record<string, number> = { a: 0, b: 0, c: 0 }
    for (let i = 0; i < 1000; i++) {
      const next = line.take()!
      const spentMs = ms[next.name as keyof typeof ms]
      served[next.name]! += spentMs
      line.add(job(next.name, 150), i)
      line.settle(next, spentMs)
    }
    expect(Math.max(...Object.values(served)) - Math.min(...Object.values(served))).toBeLessThan(1500)
  })

  it('charges nothing for work beside expensive one to the ordinary places', () => {
    const line = new FairScheduler<Job>({ mayRunBeside: isCheap })
    for (let i = 0; i < 10; i++) line.add(job(`clips ${i}`, 4000), i)
    line.add(job('photos', 150), 1)
    const serve = (next: Job) => {
      line.settle(next, next.costMs)
      line.add(job(next.name, next.costMs), 1)
      return next.name
    }
    for (let i = 0; i < 2000; i++) {
      serve(line.take('beside')!)
      if (i % 27 === 0) serve(line.take()!)
    }
    line.add(job('new', 4000), 1)
    const taken = Array.from({ length: 300 }, () => serve(line.take()!))
    expect(taken.slice(0, 10)).toContain('photos')
    expect(taken.filter((name) => name !== 'photos').slice(0, 11)).toContain('new')
  })

  it('serves newcomers beside expensive work after those who always wait there, but for their head start', () => {
    const line = new FairScheduler<Job>({ mayRunBeside: isCheap })
    const serve = (next: Job) => {
      line.settle(next, 150)
      line.add(job(next.name, 150), 1)
      return next.name
    }
    line.add(job('steady', 150), 1)
    for (let i = 0; i < 140; i++) serve(line.take('beside')!)
    for (let i = 0; i < 60; i++) line.add(job('new', 150), 1)
    const taken = Array.from({ length: 40 }, () => serve(line.take('beside')!))
    expect(taken.filter((name) => name === 'steady').length).toBeGreaterThan(15)
  })

  it('gives no head start for an estimate that was too high', () => {
    const line = lineOf(job('liar', 20_000, 'clip'))
    const clip = line.take()!
    line.add(job('other', 100), 1)
    for (let i = 0; i < 250; i++) {
      line.settle(line.take()!, 100)
      line.add(job('other', 100), 1)
    }
    line.add(job('liar', 100, 'l0'), 1)
    line.settle(clip, 100)
    for (let i = 0; i < 40; i++) line.add(job('liar', 100, `l${i + 1}`), 1)
    const taken: string[] = []
    for (let i = 0; i < 40; i++) {
      const next = line.take()!
      taken.push(next.name)
      line.settle(next, 100)
      if (next.name === 'other') line.add(job('other', 100), 1)
    }
    expect(taken.filter((name) => name === 'other').length).toBeGreaterThan(10)
  })

  it('gives no head start for a medium that waits', () => {
    const line = lineOf(job('other', 100), job('liar', 30_000, 'clip'))
    const serve = () => {
      const next = line.take()!
      line.settle(next, 100)
      if (next.name === 'other') line.add(job('other', 100), 1)
      return next.name
    }
    for (let i = 0; i < 250; i++) expect(serve()).toBe('other')
    for (let i = 0; i < 60; i++) line.add(job('liar', 100, `l${i}`), 1)
    const taken = Array.from({ length: 60 }, serve)
    expect(taken.filter((name) => name === 'other').length).toBeGreaterThan(15)
  })

  it('lets an expensive medium be overtaken for a limited time', () => {
    const line = new FairScheduler<Job>({ patienceMaxMs: 10_000 })
    line.add(job('a', 20_000, 'clip'), 0)
    line.add(job('a', 100, 'soon'), 5000)
    line.add(job('a', 100, 'late'), 15_000)
    expect(takeAll(line)).toEqual(['soon', 'clip', 'late'])
  })

  it('counts a taken estimate of a share in no clock', () => {
    const line = lineOf(job('liar', 30_000, 'clip'))
    line.take()
    for (const name of ['a', 'b']) for (let i = 0; i < 20; i++) line.add(job(name, 100), 1)
    for (let i = 0; i < 20; i++) line.settle(line.take()!, 100)
    // Of 2000 ms each has used half, which is what the clock shows: a newcomer has its head start of 1000 ms.
    for (let i = 0; i < 30; i++) line.add(job('new', 100), 1)
    const taken = Array.from({ length: 24 }, () => {
      const next = line.take()!
      line.settle(next, 100)
      return next.name
    })
    expect(taken.filter((name) => name === 'new').length).toBeLessThan(18)
  })

  it('keeps its accounts when all waiting media are removed while some are in work', () => {
    const line = lineOf(job('a', 150), job('a', 150), job('b', 150))
    const first = line.take()!
    expect(line.clear()).toHaveLength(2)
    expect(line.length).toBe(0)
    line.settle(first, 100)
    line.add(job('b', 150, 'b again'), 1)
    expect(line.take()?.name).toBe('b again')
  })

  it('skips media that may not run beside others', () => {
    const line = new FairScheduler<Job>({ mayRunBeside: isCheap })
    for (const each of [job('a', 100, 'photo'), job('b', 4000, 'clip'), job('b', 4000, 'clip 2')])
      line.add(each, 0)
    expect(line.take('beside')?.name).toBe('photo')
    expect(line.take('beside')).toBeNull()
    expect(line.take()?.name).toBe('clip')
  })

  it('forgets past costs when nothing waits or runs', () => {
    const line = lineOf(job('a', 10_000))
    expect(takeAll(line)).toEqual(['a'])
    line.add(job('a', 100, 'again'), 1)
    line.add(job('b', 200), 1)
    expect(takeAll(line)).toEqual(['again', 'b'])
  })

  it('displaces the last medium of the caller with the most waiting work', () => {
    const line = lineOf(job('greedy', 4000, 'g0'), job('greedy', 4000, 'g1'), job('b', 100))
    const displaced = line.findDisplaced(job('honest', 100))
    expect(displaced?.name).toBe('g1')
    expect(line.findDisplaced(job('greedy', 100))).toBeNull()
    expect(line.findDisplaced(job('greedier', 20_000))).toBeNull()
    expect([line.remove(displaced!), line.remove(displaced!), line.length]).toEqual([true, false, 2])
  })

  it('displaces a caller served earlier, with the same waiting work, for a newcomer', () => {
    const line = lineOf(job('old', 100, 'o0'), job('old', 100, 'o1'), job('other', 100, 'x'))
    const first = line.take()!
    line.settle(first, 100)
    expect(line.findDisplaced(job('new', 100))?.name).toBe('o1')
  })

  it('displaces the flood of one company for an expensive medium of an idle one', () => {
    const line = lineOf(...Array.from({ length: 64 }, (_, i) => job(`flood ${i}`, 150)))
    expect(line.findDisplaced(job('honest/1', 4000))?.name).toMatch(/flood/)
  })

  it('takes a medium that was put back before the others of its caller', () => {
    const line = lineOf(job('a', 10, 'cheap'))
    line.addFirst(job('a', 4000, 'lost'))
    expect(takeAll(line)).toEqual(['lost', 'cheap'])
  })
})
