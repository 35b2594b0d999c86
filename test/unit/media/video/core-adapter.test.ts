/** The parts of the adapter to ffmpeg's core that work without the core. */
import { describe, expect, it } from 'vitest'
import { readProbe } from '../../../../src/media/video/core-probe.ts'
import { FrameCollector, toRgba } from '../../../../src/media/video/frame-collector.ts'
import { PicturePicker } from '../../../../src/media/video/picture-picker.ts'

const stream = { index: 0, codec_name: 'h264', width: 320, height: 180 }
const packet = (pts: string, flags = 'K_') => ({ pts_time: pts, dts_time: pts, duration_time: '0.1', flags })
const probe = (content: object) => readProbe(JSON.stringify(content))

describe('readProbe', () => {
  it('reads packets in any order', () => {
    const packets = [packet('1.0'), packet('1.2'), packet('1.1')]
    expect(probe({ streams: [stream], packets })).toMatchObject({
      codec: 'h264',
      width: 320,
      height: 180,
      orientation: 1,
      packets: 3,
      firstS: 1,
      lastS: 1.2,
      lastDurationS: 0.1,
      timesS: [1, 1.2, 1.1],
      backSteps: 1,
      declaredS: Number.NaN,
      hasShownTimes: true,
      beginsAgain: false,
    })
  })

  it('lets times that begin again go on', () => {
    const packets = ['0.0', '0.5', '1.0', '0.0', '0.5'].map((pts, i) =>
      packet(pts, i % 2 === 0 ? 'K_' : '__'),
    )
    expect(probe({ streams: [stream], packets })).toMatchObject({
      timesS: [0, 0.5, 1, 1, 1.5],
      lastS: 1.5,
      backSteps: 1,
      beginsAgain: true,
    })
  })

  it('reads the duration in the headers', () => {
    const format = { duration: '7.5' }
    expect(probe({ streams: [stream], format }).declaredS).toBe(7.5)
  })

  it('skips packets discarded by an edit list', () => {
    const packets = [packet('-0.1', 'KD'), packet('0.0'), packet('0.1')]
    expect(probe({ streams: [stream], packets })).toMatchObject({ packets: 2, firstS: 0 })
  })

  it('reads the display matrix', () => {
    const displaymatrix = `
00000000:            0       65536           0
00000001:       -65536           0           0
00000002:     11796480           0  1073741824
`
    const turned = { ...stream, side_data_list: [{ displaymatrix }] }
    expect(probe({ streams: [turned], packets: [] }).orientation).toBe(6)
  })

  it.each([[{}], [{ streams: [] }]])('refuses output without a stream: %j', (content) => {
    expect(() => probe(content)).toThrow(expect.objectContaining({ code: 'media_unreadable' }))
  })
})

describe('FrameCollector', () => {
  const announce = (n: number, pts: number | string, size: string) =>
    `[showinfo@wanted @ 0x1f] n:${n} pts: ${pts} pts_time:0.04 pos: 565 fmt:yuv420p sar:0/1 s:${size} i:P iskey:1 type:I `
  const opened = (isWanted: (timeS: number) => boolean = () => true) => {
    const collector = new FrameCollector(
      (stored) => stored,
      ({ timeS }) => isWanted(timeS),
    )
    collector.readLog('[showinfo@wanted @ 0x1f] config in time_base: 1/1000, frame_rate: 30/1')
    return collector
  }
  const pixels = Uint8Array.from({ length: 15 }, (_, index) => index + 1)

  it('splits the stream into pictures of their own shapes and assigns their times', () => {
    const collector = opened()
    collector.readLog('Input #0, mov, from somewhere')
    collector.readLog(announce(0, 40, '2x1'))
    collector.write(pixels.subarray(0, 3))
    expect(collector.isComplete).toBe(false)
    collector.readLog(announce(1, 36_000_080, '1x3'))
    collector.write(pixels.subarray(3, 14))
    expect([collector.isComplete, collector.keptBytes]).toEqual([false, 6])
    collector.write(pixels.subarray(14))
    expect([collector.isComplete, collector.keptBytes]).toEqual([true, 15])
    expect(collector.pictures()).toEqual([
      { timeS: 0.04, width: 2, height: 1, rgb: pixels.subarray(0, 6) },
      { timeS: 36_000.08, width: 1, height: 3, rgb: pixels.subarray(6) },
    ])
  })

  it('drops pictures that nobody wants, and those without a time', () => {
    const collector = opened((timeS) => timeS > 0.1)
    for (const pts of [40, 'NOPTS', 200]) collector.readLog(announce(0, pts, '1x1'))
    collector.write(pixels.subarray(0, 9))
    expect(collector.pictures()).toEqual([{ timeS: 0.2, width: 1, height: 1, rgb: pixels.subarray(6, 9) }])
  })

  it('believes no line that the clip wrote itself', () => {
    const collector = opened()
    collector.readLog(`    title           : ${announce(0, 40, '1x1')}`)
    collector.readLog(`                    : ${announce(0, 40, '1x1')}`)
    collector.readLog('[matroska @ 0x1f] n: 0 pts: 40 pts_time:0.04 s:1x1 ')
    collector.write(pixels)
    expect(collector.pictures()).toEqual([])
  })

  it('makes opaque pictures', () => {
    const picture = { timeS: 0, width: 2, height: 1, rgb: pixels.subarray(0, 6) }
    expect([...toRgba(picture).data]).toEqual([1, 2, 3, 255, 4, 5, 6, 255])
  })
})

describe('PicturePicker', () => {
  const picked = (timesS: readonly number[] | null, pictures: readonly number[]) => {
    const picker = new PicturePicker(timesS)
    return { picker, used: pictures.filter((timeS) => picker.pick(timeS)) }
  }

  it('picks the first picture at or after each time, none twice', () => {
    const { used, picker } = picked([0, 0.11, 0.12, 0.3, 0.5], [0, 0.1, 0.2, 0.3, 0.4])
    expect(used).toEqual([0, 0.2, 0.3])
    expect([picker.picked, picker.lastS, picker.isDone, picker.restS]).toEqual([3, 0.3, false, [0.5]])
    picker.pick(0.5)
    expect([picker.isDone, picker.restS]).toEqual([true, []])
  })

  it('picks neither pictures before the first one nor those that go back in time', () => {
    expect(picked(null, [-0.1, 0, 0.2, 0.1, 0.2, 0.3]).used).toEqual([0, 0.2, 0.2, 0.3])
    expect(picked([0, 0.1, 0.2], [0, 0.1, 0, 0.1, 0.2]).used).toEqual([0, 0.1, 0.2])
  })
})
