/** What browsers can record and the service can decode, best first. */
const types = ['video/mp4;codecs=avc1.42E01F', 'video/mp4', 'video/webm;codecs=vp8', 'video/webm']

/** The type of the clips that this browser records; `null` if it records none, as where the system has no encoder. */
export function recordedType(): string | null {
  if (typeof MediaRecorder !== 'function') return null
  return types.find((type) => MediaRecorder.isTypeSupported(type)) ?? null
}
