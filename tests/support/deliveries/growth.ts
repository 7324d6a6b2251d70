import { readFile } from 'node:fs/promises'
import { changesTopic, deliveriesTopic } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { fetchGroupCommits } from '@surehook/kafka/offsets/group-commits'
import { unusedPartitions } from '@surehook/kafka/topics/grow-topics'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { until } from '@surehook/testing/until'
import { askKafka } from '../ask-kafka.ts'
import { type CliAnswer, surehook } from '../commands/operator-cli.ts'
import type { World } from '../world.ts'

/** Adds partitions to the topics of a system, and shows how far their use is. */
export class Growth {
  readonly #system: World['system']
  readonly #delays: NodeJS.ProcessEnv
  readonly #kafka: ReturnType<typeof createKafka>

  /** @param delays the variables of the services that name the retry topics */
  constructor({ system }: Pick<World, 'system'>, delays: NodeJS.ProcessEnv) {
    this.#system = system
    this.#delays = delays
    const log = createLogger('tests', 'silent')
    const brokers = system.endpoints.kafkaBrokers.split(',')
    this.#kafka = createKafka({ brokers, clientId: 'tests', log })
  }

  add(count: number): Promise<CliAnswer> {
    const { kafkaBrokers, schemaRegistryUrl } = this.#system.endpoints
    const env = { KAFKA_BROKERS: kafkaBrokers, SCHEMA_REGISTRY_URL: schemaRegistryUrl }
    return surehook({ ...env, ...this.#delays }, 'admin', 'partitions', String(count), '--json')
  }

  /** How many changes of the partitions `from` to `to` were matched. */
  async matched(from: number, to: number): Promise<number> {
    const commitOf = await this.#matcherCommits()
    const offsets = range(from, to).map((partition) => commitOf(changesTopic, partition).offset)
    return offsets.reduce((sum, offset) => sum + Math.max(0, offset), 0)
  }

  /** How many jobs are in the partitions `from` to `to` of the deliveries. */
  async jobsIn(from: number, to: number): Promise<number> {
    const ends = await askKafka(this.#kafka, (admin) => admin.fetchTopicOffsets(deliveriesTopic))
    return ends
      .filter(({ partition }) => partition >= from && partition < to)
      .reduce((sum, { high }) => sum + Number(high), 0)
  }

  /** How many jobs webhook-dispatcher has not read or not finished on `webhook.deliveries`. */
  async undispatched(): Promise<number> {
    const of = { groupId: 'webhook-dispatcher', topics: [deliveriesTopic] }
    const [ends, commitOf] = await askKafka(this.#kafka, (admin) =>
      Promise.all([admin.fetchTopicOffsets(deliveriesTopic), fetchGroupCommits(admin, of)]),
    )
    return ends.reduce((sum, { partition, high }) => {
      const { offset } = commitOf(deliveriesTopic, partition)
      return sum + Number(high) - Math.max(0, offset)
    }, 0)
  }

  allAreUsed(partitions: number, timeoutMs = 120_000): Promise<void> {
    const areUsed = async () =>
      unusedPartitions(partitions, await this.#matcherCommits()).length === 0
    return until(areUsed, { what: `webhook-matcher uses ${partitions} partitions`, timeoutMs })
  }

  /** Waits until a replica of webhook-matcher says so in its log. */
  isFinished(partitions: number): Promise<void> {
    const line = new RegExp(`"partitions":${partitions},.*"growth.finished"`)
    const isLogged = async () => {
      const logs = this.#system.services['webhook-matcher'].map(({ logFile }) =>
        readFile(logFile, 'utf8'),
      )
      return (await Promise.all(logs)).some((text) => line.test(text))
    }
    return until(isLogged, { what: 'the line growth.finished', timeoutMs: 30_000 })
  }

  #matcherCommits() {
    const of = { groupId: 'webhook-matcher', topics: [changesTopic] }
    return askKafka(this.#kafka, (admin) => fetchGroupCommits(admin, of))
  }
}

const range = (from: number, to: number) => [...Array(to).keys()].slice(from)
