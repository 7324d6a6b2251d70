import { createRequire } from 'node:module'

type Connection = {
  readonly broker: string
  readonly socket?: { destroy(reason: Error): void }
  send(call: object): Promise<unknown>
}

type Broker = { readonly connectionPool: { readonly host: string; readonly port: number } }

type Cluster = {
  readonly brokerPool: { readonly brokers: Readonly<Record<string, Broker>> }
  refreshMetadata(): Promise<unknown>
  findBroker(of: { nodeId: string }): Promise<Broker>
  findGroupCoordinatorMetadata(of: object): Promise<object>
}

const internal = createRequire(import.meta.url)
const { prototype: connection } = internal('kafkajs/src/network/connection') as {
  prototype: Connection
}
const { prototype: cluster } = internal('kafkajs/src/cluster') as { prototype: Cluster }
const { send } = connection
const { findBroker, findGroupCoordinatorMetadata } = cluster

/** Which of all silences of this process was the last one of an address. */
const silences = new Map<string, number>()
let count = 0
const noticed = new WeakMap<Cluster, number>()

async function sendOrHangUp(this: Connection, call: object): Promise<unknown> {
  try {
    return await send.call(this, call)
  } catch (err) {
    if (err instanceof Error && err.name === 'KafkaJSRequestTimeoutError') {
      silences.set(this.broker, ++count)
      this.socket?.destroy(err)
    }
    throw err
  }
}

async function noticeSilence(of: Cluster): Promise<void> {
  if (silences.size === 0) return
  const brokers = Object.values(of.brokerPool.brokers)
  const last = Math.max(
    0,
    ...brokers.map(({ connectionPool: { host, port } }) => silences.get(`${host}:${port}`) ?? 0),
  )
  if (last <= (noticed.get(of) ?? 0)) return
  await of.refreshMetadata()
  noticed.set(of, last)
}

async function findAnswering(this: Cluster, of: { nodeId: string }): Promise<Broker> {
  await noticeSilence(this)
  return findBroker.call(this, of)
}

async function findCoordinatorAnswering(this: Cluster, of: object): Promise<object> {
  await noticeSilence(this)
  return findGroupCoordinatorMetadata.call(this, of)
}

/**
 * To be called before a process connects. kafkajs 2.2.4 stays connected to a broker that has left a request
 * unanswered, and asks nobody who leads its partitions by now: a machine that is gone without a word, or stands
 * still, holds up what it led until metadata are five minutes old. Here its connection is closed, as by Kafka's own
 * clients, and the others are asked before it is used again.
 */
export function leaveSilentBrokers(): void {
  connection.send = sendOrHangUp
  cluster.findBroker = findAnswering
  cluster.findGroupCoordinatorMetadata = findCoordinatorAnswering
}
