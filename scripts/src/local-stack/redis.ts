import { chmod, mkdir, readdir } from 'node:fs/promises'
import { askPort } from '../lib/ports.ts'
import { startProcess } from '../lib/processes/managed-process.ts'
import { type Component, type ComponentOptions, environment } from './component.ts'
import { fetchWithMaven } from './maven.ts'
import { answersTls } from './secured/answers-tls.ts'
import { securedRedisSettings } from './secured/secured-redis.ts'

export async function startRedis(options: ComponentOptions): Promise<Component> {
  const { dir, port, owner, secured } = options
  const binary = await redisBinary(owner.log)
  const dataDir = `${dir}/redis`
  await mkdir(dataDir, { recursive: true })
  const settings = {
    bind: '127.0.0.1',
    port,
    dir: dataDir,
    save: '',
    'set-proc-title': 'no',
    ...(secured && (await securedRedisSettings(dir, { port, credentials: secured }))),
  }
  const process = await startProcess(
    {
      name: 'redis',
      command: binary,
      args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
      marker: dataDir,
      logFile: `${dir}/redis.log`,
      stopSignal: 'SIGTERM',
      isReady: async () =>
        secured === undefined
          ? (await askPort(port, 'PING\r\n'))?.toString() === '+PONG\r\n'
          : answersTls(port, secured.ca),
      readyTimeoutMs: 300_000,
      keepAlive: options.keepAlive,
      ...environment(options),
    },
    owner,
  )
  return { url: `${secured ? 'rediss' : 'redis'}://127.0.0.1:${port}`, process }
}

async function redisBinary(log: (line: string) => void): Promise<string> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const files = `redis-server-*-${process.platform}-${arch}`
  const dir = await fetchWithMaven({
    name: 'redis',
    goal: 'unpack',
    options: [`-Dmdep.unpack.includes=${files}`, '-DexcludeTransitive=true'],
    log,
  })
  const name = (await readdir(dir)).find((file) => file.startsWith('redis-server-'))
  if (name === undefined) throw new Error(`no Redis binary for ${process.platform} ${arch}`)
  await chmod(`${dir}/${name}`, 0o755)
  return `${dir}/${name}`
}
