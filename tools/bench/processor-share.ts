/** Limits the processor time of a process by a control group of Linux, to measure many machines on one. */
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

const periodUs = 100_000
const tries = 50
const triesMs = 20

const groups = [
  { folder: '/sys/fs/cgroup/cpu', limit: (us: number) => ['cpu.cfs_quota_us', `${us}`] as const },
  { folder: '/sys/fs/cgroup', limit: (us: number) => ['cpu.max', `${us} ${periodUs}`] as const },
]

/**
 * Limits a process, with all its threads, to a share of one core.
 * @returns removes the limit, once the process has ended
 * @throws {Error} where this user may make no control groups
 */
export async function limitProcessor(pid: number, share: number): Promise<() => Promise<void>> {
  const failures: string[] = []
  for (const { folder, limit } of groups) {
    const group = `${folder}/vivace-${pid}`
    try {
      await mkdir(group)
      const [file, text] = limit(Math.round(share * periodUs))
      // The system makes these files; what it did not make must not become a plain file.
      await writeFile(`${group}/${file}`, text, { flag: 'r+' })
      await writeFile(`${group}/cgroup.procs`, `${pid}`, { flag: 'r+' })
      const members = (await readFile(`${group}/cgroup.procs`, 'utf8')).split('\n')
      if (!members.includes(`${pid}`)) throw new Error(`process ${pid} did not join ${group}`)
      return () => removeGroup(group)
    } catch (error) {
      failures.push((error as Error).message)
      await rmdir(group).catch(() => {})
    }
  }
  throw new Error(
    `the processor time of replicas cannot be limited (${failures.join('; ')}): run as root on Linux`,
  )
}

/** The system frees the group a moment after its last process has ended. */
async function removeGroup(group: string): Promise<void> {
  for (let left = tries; left > 0; left--) {
    try {
      return await rmdir(group)
    } catch {
      await pause(triesMs)
    }
  }
}
