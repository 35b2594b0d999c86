/** One way of getting from a photo's bytes to a describeEndpoint face. */
export interface Contender {
  name: string
  run(bytes: Uint8Array): Promise<{ ms: number; stages: Record<string, number> }>
}
