import { cpus, totalmem } from 'node:os'

/** What figures were measured on: kind of machine, and nothing that names it. */
export interface Machine {
  cpu: string
  cores: number
  memoryGb: number
  runtime: string
}

export const thisMachine = (): Machine => ({
  cpu: cpus()[0]?.model ?? 'unknown processor',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  runtime: `Node ${process.versions.node}`,
})
