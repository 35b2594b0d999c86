import { describe, expect, it } from 'vitest'
import { OnnxGraph } from '../../../src/conversion/onnx-graph.ts'
import { convertTextRecogniser } from '../../../src/conversion/text-recogniser.ts'
import { readOnnx } from '../../../src/inference/onnx-reader.ts'
import { makePlan } from '../../../src/inference/own/make-plan.ts'
import { openOwnEngine } from '../../../src/inference/own-engine.ts'
import { compileInferenceKernel } from '../../../src/platform/server-wasm.ts'

const encode = (text: string) => new TextEncoder().encode(text)

function makeNetwork(): Uint8Array {
  const graph = new OnnxGraph('text')
  const pooled = graph.node('GlobalAveragePool', [graph.input('x', [1, 3, 48, 'w'])])
  graph.output(graph.node('Flatten', [pooled], {}, 'shares'), [1, 3])
  return graph.toBytes()
}

describe('a text recognition network', () => {
  it('tells its characters, also on our engine', async () => {
    const bytes = convertTextRecogniser(makeNetwork(), encode('A\né\n漢\n'))
    const { outputs, nodes } = readOnnx(bytes)
    expect(outputs.map(([name]) => name)).toEqual(['shares', 'characters'])
    expect(nodes.map(({ op }) => op)).toEqual(['GlobalAveragePool', 'Flatten', 'Identity'])
    const engine = openOwnEngine(
      await compileInferenceKernel(),
      new Map([['text', makePlan(bytes, { quantised: true })]]),
    )
    const image = { data: new Float32Array(3 * 48 * 8).fill(0.5), shape: [1, 3, 48, 8] }
    const { shares, characters } = await engine.run('text', image)
    expect(String.fromCodePoint(...characters!.data)).toBe('Aé漢 ')
    expect([...shares!.data].every((value) => Math.abs(value - 0.5) < 1e-6)).toBe(true)
  })

  it('needs single characters', () => {
    expect(() => convertTextRecogniser(makeNetwork(), encode('A\nBC\n'))).toThrow(TypeError)
    expect(() => convertTextRecogniser(makeNetwork(), encode('A\n\nB\n'))).toThrow(TypeError)
  })
})
