/** The parts of the adapter to ffmpeg's core that work without the core. */
import { describe, expect, it } from 'vitest'
import { readProbe } from '../../../../src/media/video/core-probe.ts'
import { FrameCollector } from '../../../../src/media/video/frame-collector.ts'

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
  it('splits the stream into pictures and assigns their times', () => {
    const collector = new FrameCollector(2, 1)
    const pixels = Uint8Array.from({ length: 20 }, (_, index) => index + 1)
    collector.write(pixels.subarray(0, 3))
    collector.write(pixels.subarray(3, 17))
    collector.write(pixels.subarray(17))
    collector.readLog('Input #0, mov, from somewhere')
    collector.readLog('[Parsed_showinfo_2 @ 0x1] n:   0 pts:  512 pts_time:0.04 duration: 512')
    collector.readLog('[Parsed_showinfo_2 @ 0x1] n:   1 pts: 1024 pts_time:0.08 duration: 512')
    const frames = collector.frames()
    expect(frames.map(({ timeS }) => timeS)).toEqual([0.04, 0.08])
    expect(frames.map(({ image }) => [...image.data])).toEqual([
      [1, 2, 3, 4, 5, 6, 7, 8],
      [9, 10, 11, 12, 13, 14, 15, 16],
    ])
  })

  it('yields no picture without a time', () => {
    const collector = new FrameCollector(1, 1)
    collector.write(new Uint8Array(8))
    expect(collector.frames()).toEqual([])
  })
})
