import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { cacheDir, repoRoot } from '../lib/paths.ts'
import { askPort, freePort } from '../lib/ports.ts'
import { type ProcessHandle, startProcess } from '../lib/processes/managed-process.ts'
import { classArchiveFlags } from './class-archive.ts'
import { type Component, type ComponentOptions, environment } from './component.ts'
import { jvmFlags } from './java.ts'
import { fetchWithMaven, moveIntoPlace } from './maven.ts'
import { answersTls } from './secured/answers-tls.ts'
import { scramArguments, securedProperties } from './secured/secured-kafka.ts'

// The same for all stacks, because each stack has its own ports.
export const clusterId = 'c3VyZWhvb2stbG9jYWwtMQ'

/**
 * A port of the broker, and the port that it advertises to clients of that listener, such as a
 * proxy's.
 */
export type KafkaListener = { port: number; advertised: number }

/**
 * A broker of a cluster, by its place. The first brokers are also controllers, as many as there are
 * ports.
 */
export type KafkaNode = { place: number; controllerPorts: readonly number[] }

export type KafkaOptions = ComponentOptions & {
  kafkaListeners?: readonly KafkaListener[]
  kafkaNode?: KafkaNode | undefined
}

type Broker = KafkaOptions & { libs: string; archiveFlags: string[]; stopTimeoutMs?: number }

export async function startKafka(options: KafkaOptions): Promise<Component> {
  const { log } = options.owner
  const libs = await fetchWithMaven({ name: 'kafka', goal: 'copy', log })
  const archiveFlags = await classArchiveFlags({
    ...{ name: 'kafka', home: libs, log },
    start: (trial) => startBroker({ ...trial, libs }),
  })
  const process = await startBroker({ ...options, libs, archiveFlags })
  return { url: `127.0.0.1:${options.port}`, process }
}

async function startBroker(broker: Broker): Promise<ProcessHandle> {
  const { dir, port, owner, libs, archiveFlags } = broker
  const dataDir = `${dir}/kafka`
  const properties = `${dir}/kafka.properties`
  const { kafkaListeners = [], kafkaNode: node, secured, settings = {} } = broker
  const alone = withListeners(
    await serverProperties(port, dataDir, node?.controllerPorts[node.place]),
    kafkaListeners,
  )
  const open = node === undefined ? alone : asNode(alone, node)
  const text = secured === undefined ? open : await securedProperties(open, secured)
  // For a duplicate setting the last value counts.
  const more = Object.entries(settings).map(([key, value]) => `\n${key}=${value}`)
  await writeFile(properties, [text, ...more, '\n'].join(''), { mode: 0o600 })
  if (!existsSync(`${dataDir}/meta.properties`)) {
    if (secured === undefined && node === undefined) await layOutData(libs, dataDir)
    else await format(libs, properties, secured && scramArguments(secured))
  }
  return startProcess(
    {
      name: 'kafka',
      command: 'java',
      args: ['-Xms96m', '-Xmx384m', ...archiveFlags, ...jvmArgs(libs), 'kafka.Kafka', properties],
      marker: properties,
      logFile: `${dir}/kafka.log`,
      stopSignal: 'SIGTERM',
      isReady: async () =>
        secured === undefined
          ? (await askPort(port, apiVersionsRequest)) !== null
          : answersTls(port, secured.ca),
      readyTimeoutMs: 300_000,
      keepAlive: broker.keepAlive,
      stopTimeoutMs: broker.stopTimeoutMs,
      ...environment(broker),
    },
    owner,
  )
}

function jvmArgs(libs: string): string[] {
  const logLevel = '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'
  return [...jvmFlags, logLevel, '-cp', `${libs}/*`]
}

/**
 * A request of ApiVersions v0 with correlation id 1 and an empty client id: the shortest request
 * that a broker answers.
 */
export const apiVersionsRequest = Buffer.from([0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0, 0])

/**
 * The properties of a broker that is its own controller, with one plain listener on the loopback
 * network.
 */
export async function serverProperties(
  port: number,
  dataDir: string,
  controllerPort?: number,
): Promise<string> {
  const template = await readFile(`${repoRoot}/scripts/local-stack/kafka/server.properties`, 'utf8')
  return template
    .replaceAll('@PORT@', String(port))
    .replaceAll('@CPORT@', String(controllerPort ?? (await freePort())))
    .replaceAll('@DATA@', dataDir)
}

/** Kafka's internal topics have a copy on every node, and stay writable without one of them. */
function asNode(properties: string, { place, controllerPorts }: KafkaNode): string {
  const voters = controllerPorts.map((port, n) => `${n + 1}@127.0.0.1:${port}`).join(',')
  const nodes = controllerPorts.length
  const isController = place < nodes
  return (isController ? properties : asBrokerAlone(properties))
    .replace(/^node\.id=.*$/m, `node.id=${place + 1}`)
    .replace(/^controller\.quorum\.voters=.*$/m, `controller.quorum.voters=${voters}`)
    .replace(/^(.*\.replication\.factor)=.*$/gm, `$1=${nodes}`)
    .replace(/^(.*\.min\.isr)=.*$/gm, `$1=${Math.max(1, nodes - 1)}`)
}

const asBrokerAlone = (properties: string): string =>
  properties
    .replace(/^process\.roles=.*$/m, 'process.roles=broker')
    .replace(/^(listeners=.*?),CONTROLLER:[^,\n]*/m, '$1')

/** Each listener has its own name, which decides the address that its clients get. */
function withListeners(properties: string, listeners: readonly KafkaListener[]): string {
  const add = (text: string, key: string, entry: (listener: KafkaListener) => string) =>
    text.replace(new RegExp(`^${key}=.*$`, 'm'), (line) =>
      [line, ...listeners.map(entry)].join(','),
    )
  const listening = add(
    properties,
    'listeners',
    ({ port }) => `LISTENER${port}://127.0.0.1:${port}`,
  )
  const advertising = add(
    listening,
    'advertised.listeners',
    ({ port, advertised }) => `LISTENER${port}://127.0.0.1:${advertised}`,
  )
  return add(
    advertising,
    'listener.security.protocol.map',
    ({ port }) => `LISTENER${port}:PLAINTEXT`,
  )
}

/**
 * A formatted data directory is the same for every stack, so it is made once and copied. This saves
 * 1.5 s.
 */
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
  await format(libs, properties)
  await moveIntoPlace(`${scratch}/data`, template)
  await rm(scratch, { recursive: true, force: true })
}

async function format(libs: string, properties: string, more: string[] = []): Promise<void> {
  const tool = ['kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', properties, ...more]
  await promisify(execFile)('java', [...jvmArgs(libs), ...tool])
}
