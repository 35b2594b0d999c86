/** Native packages in place of our engine and codecs: the limit of what a server could reach. */
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Engine, ModelId, Tensor } from '../../src/inference/engine.ts'
import type { JpegRequest } from '../../src/media/codec.ts'
import type { ImageCodecs } from '../../src/media/image-codecs.ts'
import type { Size } from '../../src/media/rgba-image.ts'
import { testCodecs } from '../../test/fixtures/codecs.ts'

interface NativeSession {
  inputNames: string[]
  run(feeds: Record<string, unknown>): Promise<Record<string, { data: Float32Array; dims: number[] }>>
}

interface NativeRuntime {
  InferenceSession: { create(bytes: Uint8Array, options: object): Promise<NativeSession> }
  Tensor: new (type: string, data: Float32Array, dims: readonly number[]) => unknown
}

/** Runs the networks with `onnxruntime-node`, one thread. */
export async function openNativeEngine(
  benchFolder: string,
  files: ReadonlyMap<ModelId, Uint8Array>,
): Promise<Engine> {
  const native = createRequire(path.join(benchFolder, 'package.json'))('onnxruntime-node') as NativeRuntime
  const sessions = new Map<ModelId, NativeSession>()
  for (const [id, bytes] of files) {
    sessions.set(
      id,
      await native.InferenceSession.create(bytes, { intraOpNumThreads: 1, interOpNumThreads: 1 }),
    )
  }
  return {
    async run(model, image) {
      const session = sessions.get(model)!
      const input = new native.Tensor('float32', image.data, image.shape)
      const outputs = await session.run({ [session.inputNames[0]!]: input })
      return Object.fromEntries(
        Object.entries(outputs).map(([name, { data, dims }]): [string, Tensor] => [
          name,
          { data, shape: dims },
        ]),
      )
    },
  }
}

interface Sharp {
  metadata(): Promise<Size>
  resize(width: number, height: number): Sharp
  ensureAlpha(): Sharp
  removeAlpha(): Sharp
  raw(): Sharp
  jpeg(options: { quality: number }): Sharp
  toBuffer(options: { resolveWithObject: true }): Promise<{ data: Buffer; info: Size }>
}

interface SharpPackage {
  (bytes: Uint8Array | Uint8ClampedArray, options?: { raw: Size & { channels: 4 } }): Sharp
  concurrency(threads: number): number
  cache(isKept: boolean): unknown
}

/** Larger pictures are decoded at half, a quarter, … until their longer side is below this. */
const sideMax = 1920

/** JPEG by `sharp`, one thread, large pictures shrunk while they are decoded. */
export function openSharpCodecs(benchFolder: string): ImageCodecs {
  const sharp = createRequire(path.join(benchFolder, 'package.json'))('sharp') as SharpPackage
  sharp.concurrency(1)
  sharp.cache(false)
  return {
    ...testCodecs,
    openJpeg: () => null,
    async decode(_format, bytes) {
      const picture = sharp(bytes)
      let { width, height } = await picture.metadata()
      while (Math.max(width, height) >= sideMax) [width, height] = [width >> 1, height >> 1]
      const { data } = await picture
        .resize(width, height)
        .ensureAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true })
      return { width, height, data: new Uint8ClampedArray(data.buffer, data.byteOffset, data.length) }
    },
    async encodeJpeg({ image, quality, size = image }: JpegRequest) {
      const raw = { width: image.width, height: image.height, channels: 4 as const }
      const picture = sharp(image.data, { raw }).removeAlpha().resize(size.width, size.height)
      return (await picture.jpeg({ quality }).toBuffer({ resolveWithObject: true })).data
    },
  }
}
