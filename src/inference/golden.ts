import type { Engine } from './engine.ts'
import type { GoldenCheck, ModelEntry } from './manifest.ts'

/** A synthetic input that is the same everywhere: `range · |sin(0.37 · i)|` for element `i`. */
export function goldenInput({ shape, range }: Pick<GoldenCheck, 'shape' | 'range'>): Float32Array {
  const length = shape.reduce((product, size) => product * size, 1)
  return Float32Array.from({ length }, (_, i) => Math.abs(Math.sin(i * 0.37)) * range)
}

/**
 * Runs a model on the golden input and compares the output with the golden values.
 * @throws {Error} with the model and the largest deviation if it exceeds the tolerance
 */
export async function checkGolden(engine: Engine, entry: ModelEntry): Promise<void> {
  const { shape, output, from = 0, values, tolerance } = entry.golden
  const outputs = await engine.run(entry.id, { data: goldenInput(entry.golden), shape })
  const actual = outputs[output]?.data
  if (!actual) throw new Error(`model ${entry.id} has no output ${output}`)
  const deviation = Math.max(...values.map((value, i) => Math.abs(value - actual[from + i]!)))
  if (!(deviation <= tolerance)) {
    throw new Error(
      `model ${entry.id} deviates by ${deviation} from its golden values (allowed: ${tolerance})`,
    )
  }
}
