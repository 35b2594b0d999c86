import { cpus, totalmem } from 'node:os'

/** The kind of machine on which figures were measured, without anything that identifies it. */
interface Machine {
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
