import { setTimeout as wait } from 'node:timers/promises'
import type { Admin } from 'kafkajs'
import type { LaneReader } from './lane-reader.ts'
import { PartitionLane } from './partition-lane.ts'
import type { WindowedConsumerOptions } from './windowed-consumer.ts'

/** The lanes this member owns: loaded on assignment, paused and resumed by what they hold. */
export class LaneSet {
  readonly #options: WindowedConsumerOptions
  readonly #reader: LaneReader
  readonly #admin: Admin
  #lanes = new Map<string, PartitionLane>()
  /** Those whose lanes are loaded. */
  readonly #partitions = new Set<number>()
  #loading: Promise<void> = Promise.resolve()
  #epoch = 0

  constructor(options: WindowedConsumerOptions, reader: LaneReader) {
    this.#options = options
    this.#reader = reader
    this.#admin = options.kafka.admin({ retry: { retries: 5 } })
  }

  connect(): Promise<void> {
    return this.#admin.connect()
  }

  async disconnect(): Promise<void> {
    this.#epoch++
    // A request after the disconnect would connect anew.
    await this.#loading
    await this.#admin.disconnect()
  }

  all(): Iterable<PartitionLane> {
    return this.#lanes.values()
  }

  partitions(): number[] {
    return [...this.#partitions]
  }

  /** The lane of an owned topic-partition once it is loaded; undefined when it is not owned. */
  async ready(topic: string, partition: number): Promise<PartitionLane | undefined> {
    await this.#loading
    return this.#lanes.get(laneKey(topic, partition))
  }

  /** Takes over a new assignment: lost lanes are revoked at once, new ones load their commits. */
  assign(assignment: Record<string, number[]>): void {
    const now = new Set(Object.values(assignment).flat())
    for (const partition of this.partitions()) {
      if (!now.has(partition)) this.#revoke(partition, 'revoked')
    }
    for (const lane of this.#lanes.values()) {
      // kafkajs would read kept lanes from their commit again.
      this.#seek(lane, lane.next)
      // A new consumer knows of no pause.
      if (lane.paused) this.#pause(lane)
    }
    // Also those of an assignment whose loading this one interrupts.
    const gained = [...now].filter((partition) => !this.#partitions.has(partition))
    const epoch = ++this.#epoch
    this.#loading = this.#load(gained, epoch)
  }

  pauseAll(): void {
    for (const lane of this.#lanes.values()) this.#pause(lane)
  }

  revokeAll(reason: string): void {
    for (const partition of this.partitions()) this.#revoke(partition, reason)
  }

  /** Pauses a lane that holds too much; resumes it at half. */
  throttle(lane: PartitionLane): void {
    const { messages, bytes } = this.#options.window
    if (lane.lease.aborted) return
    const full = lane.held >= messages || lane.heldBytes >= bytes
    if (full && !lane.paused) return this.#pause(lane)
    const roomy = lane.held <= messages / 2 && lane.heldBytes <= bytes / 2
    if (lane.paused && roomy) {
      lane.paused = false
      this.#reader.resume([{ topic: lane.topic, partitions: [lane.partition] }])
    }
  }

  #seek({ topic, partition }: PartitionLane, offset: number): void {
    this.#reader.seek({ topic, partition, offset: String(offset) })
  }

  #pause(lane: PartitionLane): void {
    lane.paused = true
    this.#reader.pause([{ topic: lane.topic, partitions: [lane.partition] }])
  }

  #revoke(partition: number, reason: string): void {
    this.#partitions.delete(partition)
    for (const [key, lane] of this.#lanes) {
      if (lane.partition !== partition) continue
      this.#lanes.delete(key)
      lane.revoke(reason)
    }
    this.#options.onRevoked?.(partition)
  }

  /** Loads commits and log ends of gained partitions; tried until it works or a newer assignment came. */
  async #load(gained: readonly number[], epoch: number): Promise<void> {
    while (gained.length > 0 && epoch === this.#epoch) {
      try {
        const lanes = await this.#read(gained)
        if (epoch !== this.#epoch) return
        this.#open(gained, lanes)
        return
      } catch (err) {
        this.#options.log.warn({ err, gained }, 'consumer.assignment.retry')
        await wait(200)
      }
    }
  }

  async #read(gained: readonly number[]): Promise<{ lane: PartitionLane; logStart: number }[]> {
    const { groupId, topics } = this.#options
    const [commits, ...logs] = await Promise.all([
      this.#admin.fetchOffsets({ groupId, topics: [...topics] }),
      ...topics.map((topic) => this.#admin.fetchTopicOffsets(topic)),
    ])
    return topics.flatMap((topic, index) =>
      (logs[index] ?? [])
        .filter(({ partition }) => gained.includes(partition))
        .map(({ partition, low, high }) => {
          const commit = commits
            .find((row) => row.topic === topic)
            ?.partitions.find((row) => row.partition === partition)
          const logStart = Number(low)
          const committed = Number(commit?.offset ?? -1)
          const lane = new PartitionLane({
            topic,
            partition,
            // Its metadata counts from the commit, also when the log begins after it by now.
            committed: committed < 0 ? logStart : committed,
            logStart,
            metadata: commit?.metadata ?? null,
            end: Number(high),
          })
          return { lane, logStart }
        }),
    )
  }

  #open(gained: readonly number[], loaded: { lane: PartitionLane; logStart: number }[]): void {
    const { lookBack, onAssigned } = this.#options
    for (const { lane, logStart } of loaded) {
      this.#lanes.set(laneKey(lane.topic, lane.partition), lane)
      const back = lookBack?.topics.includes(lane.topic) ? lookBack.messages : 0
      const from = Math.max(logStart, lane.committed - back)
      this.#seek(lane, from)
    }
    for (const partition of gained) {
      this.#partitions.add(partition)
      const mine = loaded.filter(({ lane }) => lane.partition === partition)
      onAssigned?.(partition, new Map(mine.map(({ lane }) => [lane.topic, lane])))
    }
  }
}

const laneKey = (topic: string, partition: number) => `${topic}/${partition}`
