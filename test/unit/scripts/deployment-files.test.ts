/** The files of deployments are well formed, and name settings, folders and probes that exist. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { settingNames } from '../../../src/settings.ts'
import { binary } from '../../fixtures/server.ts'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '../../..')
const bun = binary('bun')

interface ComposeService {
  depends_on?: string[] | Record<string, unknown>
  volumes?: string[]
}

/** Parses the documents of a file; Bun has the parsers. */
async function parse(file: string) {
  const kind = file.endsWith('.toml') ? 'TOML' : 'YAML'
  const program = `console.log(JSON.stringify(Bun.${kind}.parse(await Bun.file(process.argv[1]).text())))`
  const { stdout } = await run(bun, ['-e', program, path.join(root, file)])
  const parsed = JSON.parse(stdout)
  return Array.isArray(parsed) ? parsed : [parsed]
}

/** Names that are no settings of this server. */
const unknownIn = (names: readonly string[]): string[] => names.filter((name) => !settingNames.includes(name))

describe.skipIf(!existsSync(bun))('deployment files', () => {
  it('compose.yaml without a key of the database says what to do for a new one and for one made without', async () => {
    const [{ services }] = await parse('compose.yaml')
    const { SQLD_ENCRYPTION_KEY: key } = services.database.environment
    const [, message] = /^\$\{DATABASE_KEY:\?([^{}$]+)\}$/.exec(key) ?? []
    expect(message).toMatch(/new database.*openssl rand -hex 32/)
    expect(message).toMatch(/made without a key.*remove the line SQLD_ENCRYPTION_KEY/)
    const example = await readFile(path.join(root, 'deploy/compose.env.example'), 'utf8')
    const page = await readFile(path.join(root, 'docs/operate.md'), 'utf8')
    for (const text of [message, example, page]) expect(text).toContain('apart from the backups')
  })

  it('compose.yaml has replicas with known settings, and each service that another one waits for', async () => {
    const [{ services, volumes }] = await parse('compose.yaml')
    expect(services.vivace.deploy.replicas).toBe(3)
    expect(unknownIn(Object.keys(services.vivace.environment))).toEqual([])
    const example = await readFile(path.join(root, 'deploy/compose.env.example'), 'utf8')
    for (const name of ['vivace', 'database']) expect(services[name].ulimits, name).toEqual({ core: 0 })
    for (const [name, service] of Object.entries(services as Record<string, ComposeService>)) {
      const { depends_on: after = [] } = service
      const waitedFor = Array.isArray(after) ? after : Object.keys(after)
      for (const other of waitedFor) expect(services, name).toHaveProperty(other)
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':')
        if (source.startsWith('./')) expect(existsSync(path.join(root, source)), source).toBe(true)
        else if (!source.startsWith('/')) expect(volumes, name).toHaveProperty(source)
      }
      for (const [, variable] of JSON.stringify(service).matchAll(/\$\{(\w+):\?/g))
        expect(example, name).toMatch(new RegExp(`^${variable}=`, 'm'))
    }
  })

  it('deploy/kubernetes/vivace.yaml has a deployment whose settings and probes exist', async () => {
    const documents = await parse('deploy/kubernetes/vivace.yaml')
    expect(documents.map(({ kind }) => kind)).toEqual([
      ...['Deployment', 'Service', 'PodDisruptionBudget', 'NetworkPolicy'],
    ])
    const [{ spec }, service, budget, policy] = documents
    const [container] = spec.template.spec.containers
    expect(container.securityContext.readOnlyRootFilesystem).toBe(true)
    expect(unknownIn(container.env.map(({ name }: { name: string }) => name))).toEqual([])
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      expect(['/livez', '/readyz']).toContain(container[probe].httpGet.path)
    for (const selector of [
      spec.selector.matchLabels,
      service.spec.selector,
      budget.spec.selector.matchLabels,
      policy.spec.podSelector.matchLabels,
      spec.template.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
    ])
      expect(spec.template.metadata.labels).toMatchObject(selector)
    const ports = container.ports.map(({ name }: { name: string }) => name)
    expect(policy.spec.ingress[0].ports.map(({ port }: { port: string }) => port)).toEqual(ports)
    const volumes = spec.template.spec.volumes.map(({ name }: { name: string }) => name)
    expect(container.volumeMounts.map(({ name }: { name: string }) => name)).toEqual(volumes)
    const text = await readFile(path.join(root, 'deploy/kubernetes/vivace.yaml'), 'utf8')
    const secrets = [...text.matchAll(/--from-literal=(\w+)=/g)].map(([, name]) => name!)
    expect(secrets).toEqual(expect.arrayContaining(['DATABASE_URL', 'S3_ENDPOINT', 'S3_REGION']))
    expect(unknownIn(secrets)).toEqual([])
  })

  it('deploy/kubernetes/monitor.yaml scrapes the service with a token of its secret', async () => {
    const [monitor] = await parse('deploy/kubernetes/monitor.yaml')
    const [, service] = await parse('deploy/kubernetes/vivace.yaml')
    expect(service.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels)
    const [endpoint] = monitor.spec.endpoints
    expect(service.spec.ports.map(({ name }: { name: string }) => name)).toContain(endpoint.port)
    const { key } = endpoint.authorization.credentials
    expect(unknownIn([key])).toEqual([])
    const text = await readFile(path.join(root, 'deploy/kubernetes/vivace.yaml'), 'utf8')
    expect(text).toContain(`--from-literal=${key}=`)
  })

  it('deploy/fly.toml serves what the image listens on, from its volume', async () => {
    const [fly] = await parse('deploy/fly.toml')
    expect(unknownIn(Object.keys(fly.env))).toEqual([])
    expect(fly.http_service.internal_port).toBe(Number(fly.env.PORT))
    expect(fly.mounts.destination).toBe(fly.env.DATA_DIR)
    expect(existsSync(path.join(root, 'deploy', fly.build.dockerfile))).toBe(true)
    expect(fly.http_service.checks.map((check: { path: string }) => check.path)).toEqual(['/readyz'])
  })

  it('Dockerfile hands its arguments to the steps', async () => {
    const text = await readFile(path.join(root, 'Dockerfile'), 'utf8')
    const steps = await readFile(path.join(root, 'deploy/image-steps.sh'), 'utf8')
    const names = [...text.matchAll(/^ARG (\w+)=/gm)].map(([, name]) => name!)
    expect(names).toEqual(['PROFILES', 'MODELS_MIRROR', 'VIDEO'])
    for (const name of names) {
      expect(text).toContain(`${name}="$${name}"`)
      expect(steps).toMatch(new RegExp(`^# ${name} `, 'm'))
    }
  })

  it('wrangler.toml has known settings in both environments', async () => {
    const [wrangler] = await parse('wrangler.toml')
    for (const vars of [wrangler.vars, wrangler.env.whole.vars])
      expect(unknownIn(Object.keys(vars))).toEqual([])
    expect(existsSync(path.join(root, wrangler.main))).toBe(true)
  })
})

it.each([
  'compose.yaml',
  'wrangler.toml',
  'deploy/fly.toml',
  'deploy/kubernetes/vivace.yaml',
  'deploy/vivace.env.example',
])('%s has a place for the address that links begin with', async (file) => {
  expect(await readFile(path.join(root, file), 'utf8')).toMatch(/\bPUBLIC_URL\b.*https?:/)
})

it('renovate.json pins base images by digest', async () => {
  const { packageRules } = JSON.parse(await readFile(path.join(root, 'renovate.json'), 'utf8'))
  const images = { matchManagers: ['dockerfile', 'docker-compose'], pinDigests: true }
  expect(packageRules).toContainEqual(images)
})

it('SECURITY.md says where to report, and which releases get fixes', async () => {
  const text = await readFile(path.join(root, 'SECURITY.md'), 'utf8')
  expect(text).toMatch(/^Report .*Report a vulnerability.*release gets fixes\.$/m)
})

it('deploy/vivace.service allows what V8 calls at its start, and refuses other calls without a kill', async () => {
  const unit = await readFile(path.join(root, 'deploy/vivace.service'), 'utf8')
  expect(unit).toMatch(/^SystemCallFilter=@system-service @pkey$/m)
  expect(unit).toMatch(/^SystemCallErrorNumber=EPERM$/m)
})

it('deploy/vivace.service and the command of docs/deploy.md forbid core dumps, and the unit swap', async () => {
  const unit = await readFile(path.join(root, 'deploy/vivace.service'), 'utf8')
  expect(unit).toMatch(/^LimitCORE=0$/m)
  expect(unit).toMatch(/^MemorySwapMax=0$/m)
  for (const file of ['docs/deploy.md', 'Dockerfile'])
    expect(await readFile(path.join(root, file), 'utf8'), file).toMatch(/docker run -d .*--ulimit core=0/)
})

const analyser = '/usr/bin/systemd-analyze'

it.skipIf(!existsSync(analyser))('deploy/vivace.service is a unit that systemd accepts', async () => {
  const { stderr } = await run(analyser, ['verify', '--man=no', path.join(root, 'deploy/vivace.service')])
  expect(stderr.split('\n').filter((line) => line.includes('vivace.service'))).toEqual([])
})
