import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

interface RunningProcess {
  pid: number
  /** Resident memory. */
  megabytes: number
}

/**
 * A process and all its descendants.
 * @param command only those whose command's name contains it
 */
async function listFamily(pid: number, command: string): Promise<RunningProcess[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,rss=,comm='])
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [child, parent, kilobytes, ...name] = line.trim().split(/\s+/)
      const megabytes = Number(kilobytes) / 1024
      return { pid: Number(child), parent: Number(parent), megabytes, name: name.join(' ') }
    })
  const family = new Set([pid])
  for (let grown = true; grown; ) {
    const before = family.size
    for (const row of rows) if (family.has(row.parent)) family.add(row.pid)
    grown = family.size > before
  }
  return rows.filter((row) => family.has(row.pid) && row.name.includes(command))
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

/**
 * Resident memory of a process and all its descendants, in MB of 2^20 bytes.
 * @param command counts only processes whose command's name contains it
 */
export async function residentMegabytes(pid: number, command = ''): Promise<number> {
  return sum((await listFamily(pid, command)).map(({ megabytes }) => megabytes))
}

/** The highest memory of a process so far; `NaN` where the system does not tell. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024
}

/** The highest resident memory so far, of what `residentMegabytes` counts. */
export async function peakMegabytes(pid: number, command = ''): Promise<number> {
  return sum(await Promise.all((await listFamily(pid, command)).map((process) => peakOf(process.pid))))
}

const ticksPerSecond = 100

/** Processor time so far; `NaN` where the system does not tell. */
async function secondsOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name in brackets may contain blanks.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** Processor seconds of a process and its descendants that still run, counted as those of `residentMegabytes`. */
export async function processorSeconds(pid: number, command = ''): Promise<number> {
  return sum(await Promise.all((await listFamily(pid, command)).map((process) => secondsOf(process.pid))))
}

/** How much the highest memory of the last quarter exceeds the highest of the second one, as a share. */
export function growth(samples: readonly number[]): number {
  const quarter = Math.floor(samples.length / 4)
  const early = Math.max(...samples.slice(quarter, 2 * quarter))
  return Math.max(...samples.slice(-quarter)) / early - 1
}
