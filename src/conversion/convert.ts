import type { Converter } from '../inference/manifest.ts'
import { readOnnx } from '../inference/onnx-reader.ts'
import { convertFaceRecognition } from './face-api-to-onnx.ts'
import { convertFaceFeature } from './faceplugin-feature.ts'
import { convertMiniFasNet } from './minifasnet-to-onnx.ts'
import { writeOnnx } from './onnx-graph.ts'
import { pruneChannels } from './prune-channels.ts'
import { convertTextRecogniser } from './text-recogniser.ts'
import { convertTfjsGraph, type TfjsConversion } from './tfjs-to-onnx.ts'

const parseJson = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes))

const facemesh: TfjsConversion = {
  name: 'facemesh-468',
  inputSize: [192, 192],
  outputs: {
    mesh: { node: 'Identity_2', shape: [1, 1404] },
    presence: { node: 'Identity_1', shape: [1, 1] },
  },
}

const blazeface: TfjsConversion = {
  name: 'blazeface-back',
  inputSize: [256, 256],
  outputs: {
    scores16: { node: 'Identity', shape: [1, 512, 1] },
    scores32: { node: 'Identity_1', shape: [1, 384, 1] },
    boxes16: { node: 'Identity_2', shape: [1, 512, 16] },
    boxes32: { node: 'Identity_3', shape: [1, 384, 16] },
  },
}

/** Converters from the files of a source, in the manifest's order, to an ONNX file. */
export const converters: Record<Converter, (files: readonly Uint8Array[]) => Uint8Array> = {
  none: ([onnx]) => onnx!,
  pruned: ([onnx]) => writeOnnx('pruned', pruneChannels(readOnnx(onnx!))),
  'face-api-resnet': ([manifest, weights]) => convertFaceRecognition(parseJson(manifest!), weights!),
  'faceplugin-feature': ([onnx]) => convertFaceFeature(onnx!),
  facemesh: ([graph, weights]) => convertTfjsGraph(parseJson(graph!), weights!, facemesh),
  blazeface: ([graph, weights]) => convertTfjsGraph(parseJson(graph!), weights!, blazeface),
  'text-recogniser': ([onnx, characters]) => convertTextRecogniser(onnx!, characters!),
  minifasnet: ([checkpoint]) => convertMiniFasNet(checkpoint!, 'minifasnet'),
}
