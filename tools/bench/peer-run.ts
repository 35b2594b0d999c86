/**
 * One contender in a process of its own: `node scripts/run.mjs tools/bench/peer-run.ts NAME PHOTO ROUNDS`. Writes a line when it is
 * ready, and its times as JSON. Without a name it does nothing: then only the bundle is made.
 */
import { readFile } from 'node:fs/promises'
import { type Assembly, openAssemblies } from './ours.ts'
import { benchFolder, openPeers } from './peer-files.ts'
import { quantile } from './quantiles.ts'

const [, , name, photo = '', rounds = '10'] = process.argv

async function open() {
  if (name === 'human' || name === 'face-api') return openPeers([name])
  return (await openAssemblies([name as Assembly], benchFolder)).contenders
}

if (name) {
  const [contender] = await open()
  process.stdout.write('ready\n')
  const bytes = new Uint8Array(await readFile(photo))
  const times: number[] = []
  const processorMs: number[] = []
  for (let round = 0; round <= Number(rounds); round++) {
    const before = process.cpuUsage()
    times.push((await contender!.run(bytes)).ms)
    const { user, system } = process.cpuUsage(before)
    processorMs.push((user + system) / 1000)
  }
  // The second half is warm.
  const warm = (values: readonly number[]) => quantile(values.slice(Math.ceil(values.length / 2)), 0.5)
  const measured = { coldMs: times[0], warmMs: warm(times), warmProcessorMs: warm(processorMs) }
  process.stdout.write(`${JSON.stringify({ name: contender!.name, ...measured })}\n`)
  // Stays, so that its memory can be read.
  await new Promise((resolve) => process.stdin.once('data', resolve).once('end', resolve))
}
process.exit(0)
