/** Adds the characters of a text recognition network of PaddleOCR to its file, so that they cannot be those of another one. */
import { addConstantOutput } from './onnx-graph.ts'

/**
 * @param network its classes are: no character, those of the list in their order, the space
 * @param list one character per line
 * @returns the network with the output `characters`: the code points of its classes from the second on
 * @throws {TypeError} if the list has other than single characters
 */
export function convertTextRecogniser(network: Uint8Array, list: Uint8Array): Uint8Array {
  const lines = new TextDecoder().decode(list).replace(/\n$/, '').split('\n')
  const characters = [...lines.map((line) => [...line.replace(/\r$/, '')]), [' ']]
  const points = characters.map((line) => (line.length === 1 ? line[0]!.codePointAt(0)! : null))
  if (points.includes(null)) throw new TypeError('the list of characters has other than single characters')
  return addConstantOutput(
    network,
    'characters',
    points.map((point) => point!),
  )
}
