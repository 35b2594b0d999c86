import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Resident memory of a process and all its descendants, in MB of 2^20 bytes. */
export async function residentMegabytes(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,rss='])
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number, number])
  const family = new Set([pid])
  for (let grown = true; grown; ) {
    const before = family.size
    for (const [child, parent] of rows) if (family.has(parent)) family.add(child)
    grown = family.size > before
  }
  return rows.reduce((sum, [child, , kilobytes]) => sum + (family.has(child) ? kilobytes / 1024 : 0), 0)
}

/** How much the highest memory of the last quarter exceeds the highest of the second one, as a share. */
export function growth(samples: readonly number[]): number {
  const quarter = Math.floor(samples.length / 4)
  const early = Math.max(...samples.slice(quarter, 2 * quarter))
  return Math.max(...samples.slice(-quarter)) / early - 1
}
