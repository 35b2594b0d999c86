/** Milliseconds of a liveness check of the Lite service. */
export async function timeCheck(url: string, photo: Uint8Array): Promise<number> {
  const start = performance.now()
  const response = await fetch(`${url}/v1/face/liveness/detect`, {
    method: 'POST',
    headers: { 'Content-Type': 'image/jpeg' },
    body: photo.slice(),
  })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`a check was answered with ${response.status}`)
  return performance.now() - start
}

/** Calls Instant for liveness by callers that wait for each answer. @returns the milliseconds of each call, in no order */
export async function timeInstant(
  url: string,
  medium: File,
  count: number,
  callers: number,
): Promise<number[]> {
  const call = async (): Promise<number> => {
    const body = new FormData()
    body.append('medium', medium)
    body.append('payload', JSON.stringify({ analyses: [{ type: 'quality' }] }))
    const start = performance.now()
    const response = await fetch(`${url}/api/instant/folders/`, { method: 'POST', body })
    const { analyses } = (await response.json()) as { analyses?: { state: string }[] }
    if (analyses?.[0]?.state !== 'FINISHED') throw new Error(`a medium was answered ${response.status}`)
    return performance.now() - start
  }
  const times: number[] = []
  let left = count
  const callInTurn = async () => {
    while (left-- > 0) times.push(await call())
  }
  await Promise.all(Array.from({ length: callers }, callInTurn))
  return times
}
