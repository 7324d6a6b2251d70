import { createRequire } from 'node:module'
import { MembershipOverError } from './membership-over.ts'

type ConsumerGroup = {
  /** Made anew with every membership, whose generation its commits carry. */
  offsetManager: object
  commitOffsets(offsets?: object): Promise<void>
}

type Runner = { commitOffsets(offsets: object): Promise<void> | undefined }

const internal = createRequire(import.meta.url)
const { prototype } = internal('kafkajs/src/consumer/consumerGroup') as { prototype: ConsumerGroup }
const { prototype: runner } = internal('kafkajs/src/consumer/runner') as { prototype: Runner }
const { commitOffsets } = prototype
const { commitOffsets: commitWhileRunning } = runner
/** By commit, as kafkajs passes it with each try: under which membership it was tried first. */
const begun = new WeakMap<object, object>()
const committed = new WeakSet<object>()

async function commitWithinMembership(this: ConsumerGroup, offsets?: object): Promise<void> {
  if (offsets !== undefined) {
    const membership = begun.get(offsets) ?? this.offsetManager
    if (membership !== this.offsetManager) throw new MembershipOverError()
    begun.set(offsets, membership)
  }
  await commitOffsets.call(this, offsets)
  if (offsets !== undefined) committed.add(offsets)
}

async function commitOrReject(this: Runner, offsets: object): Promise<void> {
  await commitWhileRunning.call(this, offsets)
  if (!committed.has(offsets)) throw new Error('the consumer does not run: nothing was committed')
}

/**
 * To be called before a process consumes. kafkajs 2.2.4 tries a commit that a lost connection has failed
 * again in whatever membership there is by then, whose generation the group accepts: so it would
 * overwrite what another member has committed in between. And what a consumer is told to commit while it
 * does not run, as between a crash and the news of it, it calls committed without doing anything.
 */
export function commitsOfOneMembership(): void {
  prototype.commitOffsets = commitWithinMembership
  runner.commitOffsets = commitOrReject
}
