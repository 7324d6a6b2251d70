import type { DeliveryJob } from '@surehook/contracts/events'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import { FlowControl } from '@surehook/kafka/windowed/flow-control'
import type { PartitionControl } from '@surehook/kafka/windowed/partition-handler'
import { PartitionWorker } from '../../src/partition/partition-worker.ts'
import type { WorkerDeps } from '../../src/partition/worker-deps.ts'

type Attempt = { job: DeliveryJob; answer: (status: number) => void }

/** The limits that the assigned partitions share. */
export const shared = { messages: 12, bytes: 1_000_000 }

/** The options of circuits whose store knows nothing. */
export const circuitOptions = () => ({
  threshold: 5,
  cooldownMs: 1,
  store: {
    load: async () => ({ failures: 0, openUntil: 0, openSince: 0 }),
    recordFailure: async (): Promise<void> => {},
    reset: async () => {},
  },
})

/** One owner of the partition: it reads the logs from the last commits, until it is killed. */
export class Owner {
  readonly assignments: Map<string, AssignedPartition>
  readonly positions = new Map<string, number>()
  readonly worker: PartitionWorker
  readonly attempts: Attempt[] = []
  /** The attempts so far: delivery and number of the attempt. */
  readonly attempted: string[] = []
  readonly acks: (() => void)[] = []
  readonly stopped = new Set<string>()
  readonly steering: FlowControl

  readonly control: PartitionControl & { partitions: number }

  constructor(
    assignments: Map<string, AssignedPartition>,
    deps: (owner: Owner) => WorkerDeps,
    partitions = 1,
  ) {
    this.assignments = assignments
    for (const assignment of assignments.values())
      this.positions.set(assignment.topic, assignment.next)
    type TopicOffset = { topic: string; offset: string }
    this.steering = new FlowControl(shared, {
      seek: ({ topic, offset }: TopicOffset) => void this.positions.set(topic, Number(offset)),
      pause: ([assignment]) => void this.stopped.add(assignment?.topic ?? ''),
      resume: (all) => void (all && this.stopped.delete([...all][0]?.topic ?? '')),
    })
    this.control = {
      seek: (topic: string, _partition: number, offset: number) =>
        void this.positions.set(topic, offset),
      mayStart: true,
      partitions,
      commitSoon: () => {},
    }
    this.worker = new PartitionWorker(assignments, this.control, deps(this))
  }
}
