/** What `doctor` says of networks. The rest of it beside a server: test/http/persistent/command-line.test.ts. */
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { doctorCommand } from '../../../scripts/cli/doctor-command.ts'
import { builtModelsFolder } from '../../../src/platform/server-models.ts'
import { readSettings } from '../../../src/settings.ts'
import { runHere } from '../../fixtures/command.ts'

it('a network that reads documents is missed before the first document', async () => {
  const built = path.resolve(builtModelsFolder(readSettings(process.env)))
  const folder = await mkdtemp(path.join(tmpdir(), 'doctor-'))
  for (const name of await readdir(built))
    if (name !== 'mrz-lines-1.onnx') await symlink(path.join(built, name), path.join(folder, name))
  const { code, output } = await runHere(doctorCommand, ['--json'], {
    MODELS_DIR: folder,
    DATA_DIR: folder,
    PORT: '0',
  }).finally(() => rm(folder, { recursive: true, force: true }))
  expect(code).toBe(2)
  const findings: { name: string; state: string; text: string }[] = JSON.parse(output)
  expect(findings.filter(({ state }) => state === 'fail')).toMatchObject([
    { name: 'networks', text: expect.stringMatching(/: mrz-lines-1 missing in /) },
  ])
})
