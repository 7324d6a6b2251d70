import { createRequire } from 'node:module'
import { replaceMethods } from '../replace-methods.ts'

type Socket = { destroy(reason: Error): void }

/** The connections to one broker. */
type ConnectionPool = {
  readonly host: string
  readonly port: number
  readonly pool: readonly { readonly socket?: Socket }[]
  send(call: Call): Promise<unknown>
}

type Call = { readonly request: { readonly apiKey: number } }

type Broker = { readonly connectionPool: Pick<ConnectionPool, 'host' | 'port'> }

type Cluster = {
  readonly brokerPool: { readonly brokers: Readonly<Record<string, Broker>> }
  refreshMetadata(): Promise<unknown>
  findBroker(of: { nodeId: string }): Promise<Broker>
  findGroupCoordinatorMetadata(of: object): Promise<object>
}

const internal = createRequire(import.meta.url)
const { prototype: connections } = internal('kafkajs/src/network/connectionPool') as {
  prototype: ConnectionPool
}
const { prototype: cluster } = internal('kafkajs/src/cluster') as { prototype: Cluster }
const { KafkaJSConnectionError } = internal('kafkajs/src/errors') as {
  KafkaJSConnectionError: new (message: string, at: { broker: string }) => Error
}
/** The methods as earlier patches have left them. */
const before = {
  connections: {} as Pick<ConnectionPool, 'send'>,
  cluster: {} as Pick<Cluster, 'findBroker' | 'findGroupCoordinatorMetadata'>,
}

/** The first request of a new connection (KIP-35). */
const apiVersions = 18

/** Sequence number of the last timeout of each address. */
const silences = new Map<string, number>()
let count = 0
/** The last timeout for which a client has refreshed its metadata. */
const noticed = new WeakMap<Cluster, number>()

const addressOf = ({ host, port }: Broker['connectionPool']) => `${host}:${port}`

const silenceOf = (broker: Broker | undefined): number =>
  broker === undefined ? 0 : (silences.get(addressOf(broker.connectionPool)) ?? 0)

async function sendOrHangUp(this: ConnectionPool, call: Call): Promise<unknown> {
  try {
    return await before.connections.send.call(this, call)
  } catch (err) {
    if (!(err instanceof Error && err.name === 'KafkaJSRequestTimeoutError')) throw err
    const broker = addressOf(this)
    silences.set(broker, ++count)
    for (const { socket } of this.pool) socket?.destroy(err)
    if (call.request.apiKey !== apiVersions) throw err
    // After this error kafkajs tries the next broker. After a timeout it would try the same one
    // again.
    throw new KafkaJSConnectionError(err.message, { broker })
  }
}

async function noticeSilence(of: Cluster, silence: number): Promise<void> {
  if (silence <= (noticed.get(of) ?? 0)) return
  await of.refreshMetadata()
  noticed.set(of, silence)
}

async function findAnswering(this: Cluster, of: { nodeId: string }): Promise<Broker> {
  await noticeSilence(this, silenceOf(this.brokerPool.brokers[of.nodeId]))
  return before.cluster.findBroker.call(this, of)
}

async function findCoordinatorAnswering(this: Cluster, of: object): Promise<object> {
  // Any broker may be asked for the coordinator.
  await noticeSilence(this, Math.max(0, ...Object.values(this.brokerPool.brokers).map(silenceOf)))
  return before.cluster.findGroupCoordinatorMetadata.call(this, of)
}

/** Sorts bootstrap addresses so that those with the latest timeouts come last. */
export function answeringFirst(brokers: readonly string[]): string[] {
  return brokers.toSorted((a, b) => (silences.get(a) ?? 0) - (silences.get(b) ?? 0))
}

/**
 * Call it before a process connects. kafkajs 2.2.4 stays connected to a broker that left a request
 * unanswered, and does not look for new leaders of its partitions. A machine that disappeared or
 * hangs then blocks these partitions until metadata are five minutes old. This patch closes its
 * connections, as Kafka's own clients do, and refreshes metadata before the broker is used again.
 */
export function dropUnresponsiveBrokers(): void {
  replaceMethods(connections, before.connections, { send: sendOrHangUp })
  replaceMethods(cluster, before.cluster, {
    findBroker: findAnswering,
    findGroupCoordinatorMetadata: findCoordinatorAnswering,
  })
}
