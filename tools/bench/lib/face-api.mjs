import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

export async function loadFaceApi(maxFaces) {
  const faceapi = require('@vladmandic/face-api/dist/face-api.node-wasm.js')
  await loadNets(faceapi)
  const options = new faceapi.SsdMobilenetv1Options({ maxResults: maxFaces })
  return {
    name: 'face-api',
    version: faceapi.version,
    descriptorLength: 128,
    describe: (tensor, watch) => describe(faceapi, options, tensor, watch),
  }
}

async function loadNets({ nets }) {
  const folder = join(dirname(require.resolve('@vladmandic/face-api/package.json')), 'model')
  await nets.ssdMobilenetv1.loadFromDisk(folder)
  await nets.faceLandmark68Net.loadFromDisk(folder)
  await nets.faceRecognitionNet.loadFromDisk(folder)
}

// The tasks that detectAllFaces().withFaceLandmarks().withFaceDescriptors() chains, awaited one by one to time each.
async function describe(faceapi, options, tensor, watch) {
  const detections = await faceapi.detectAllFaces(tensor, options)
  watch.lap('detect')
  const found = detections.map((detection) => faceapi.extendWithFaceDetection({}, detection))
  const landmarked = await new faceapi.DetectAllFaceLandmarksTask(Promise.resolve(found), tensor, false)
  watch.lap('landmarks')
  const describeEndpoint = await new faceapi.ComputeAllFaceDescriptorsTask(
    Promise.resolve(landmarked),
    tensor,
  )
  watch.lap('descriptor')
  return describeEndpoint.map(({ descriptor }) => descriptor)
}
