/** One way of describing the face of a photo, given its bytes. */
export interface Contender {
  name: string
  run(bytes: Uint8Array): Promise<{ ms: number; stages: Record<string, number> }>
}
