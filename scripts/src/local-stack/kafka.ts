import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { type ProcessHandle, startProcess } from '../lib/managed-process.ts'
import { cacheDir, repoRoot } from '../lib/paths.ts'
import { askPort, freePort } from '../lib/ports.ts'
import { openProcessGroup } from '../lib/process-group.ts'
import type { Component, ComponentOptions } from './component.ts'
import { jvmFlags, requireJava } from './java.ts'
import { fetchWithMaven, moveIntoPlace } from './maven.ts'

// Every stack is alone on its ports, so that all may carry the same id.
const clusterId = 'c3VyZWhvb2stbG9jYWwtMQ'

type Broker = ComponentOptions & { libs: string; archiveFlags: string[] }

export async function startKafka(options: ComponentOptions): Promise<Component> {
  const java = await requireJava()
  const libs = await fetchWithMaven({ name: 'kafka', goal: 'copy', log: options.owner.log })
  const archive = await classArchive({ libs, java, log: options.owner.log })
  const archiveFlags = archive === null ? [] : [`-XX:SharedArchiveFile=${archive}`]
  const process = await startBroker({ ...options, libs, archiveFlags })
  return { url: `127.0.0.1:${options.port}`, process }
}

async function startBroker(broker: Broker): Promise<ProcessHandle> {
  const { dir, port, owner, libs, archiveFlags } = broker
  const dataDir = `${dir}/kafka`
  const properties = `${dir}/kafka.properties`
  await writeFile(properties, await serverProperties(port, dataDir))
  if (!existsSync(`${dataDir}/meta.properties`)) await layOutData(libs, dataDir)
  return startProcess(
    {
      name: 'kafka',
      command: 'java',
      args: ['-Xms384m', '-Xmx384m', ...archiveFlags, ...jvmArgs(libs), 'kafka.Kafka', properties],
      marker: properties,
      logFile: `${dir}/kafka.log`,
      stopSignal: 'SIGTERM',
      isReady: async () => (await askPort(port, apiVersionsRequest)) !== null,
      readyTimeoutMs: 90_000,
      keepAlive: broker.keepAlive,
    },
    owner,
  )
}

function jvmArgs(libs: string): string[] {
  const logLevel = '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'
  return [...jvmFlags, '-Xlog:cds=off', logLevel, '-cp', `${libs}/*`]
}

// ApiVersions v0 with correlation id 1 and an empty client id: the first thing any client asks.
const apiVersionsRequest = Buffer.from([0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0, 0])

async function serverProperties(port: number, dataDir: string): Promise<string> {
  const template = await readFile(`${repoRoot}/scripts/local-stack/kafka/server.properties`, 'utf8')
  return template
    .replaceAll('@PORT@', String(port))
    .replaceAll('@CPORT@', String(await freePort()))
    .replaceAll('@DATA@', dataDir)
}

/** A formatted data directory is the same for every stack: made once, then copied (1.5 s saved). */
async function layOutData(libs: string, dataDir: string): Promise<void> {
  const template = `${libs}.formatted`
  if (!existsSync(template)) await formatTemplate(libs, template)
  const partial = `${dataDir}.new`
  await rm(partial, { recursive: true, force: true })
  await cp(template, partial, { recursive: true })
  await rename(partial, dataDir)
}

async function formatTemplate(libs: string, template: string): Promise<void> {
  const scratch = await mkdtemp(`${cacheDir}/kafka-format-`)
  const properties = `${scratch}/server.properties`
  await writeFile(properties, await serverProperties(9092, `${scratch}/data`))
  const format = ['kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', properties]
  await promisify(execFile)('java', [...jvmArgs(libs), ...format])
  await moveIntoPlace(`${scratch}/data`, template)
  await rm(scratch, { recursive: true, force: true })
}

type ArchiveOptions = { libs: string; java: string; log: (line: string) => void }

/**
 * A class-data archive of this JVM brings the broker's start from 8–16 s to 2–3 s. It is made by
 * one trial run per machine; without it (a JDK that cannot) the broker starts slower, no worse.
 */
async function classArchive({ libs, java, log }: ArchiveOptions): Promise<string | null> {
  const key = createHash('sha256').update(java).digest('hex').slice(0, 8)
  const archive = `${libs}.${key}.jsa`
  if (existsSync(archive)) return archive
  const startedAt = performance.now()
  const dir = await mkdtemp(`${cacheDir}/kafka-trial-`)
  const group = await openProcessGroup(dir)
  try {
    const port = await freePort()
    const made = `${dir}/classes.jsa`
    const archiveFlags = [`-XX:ArchiveClassesAtExit=${made}`]
    const owner = { group, log }
    const broker = await startBroker({ dir, port, owner, keepAlive: false, libs, archiveFlags })
    await broker.stop()
    if (!existsSync(made)) return null
    await moveIntoPlace(made, archive)
    log(`made Kafka's class archive (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
    return archive
  } finally {
    await group.close()
    await rm(dir, { recursive: true, force: true })
  }
}
