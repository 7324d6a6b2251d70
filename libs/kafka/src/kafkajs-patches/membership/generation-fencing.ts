import { createRequire } from 'node:module'
import { replaceMethods } from '../replace-methods.ts'
import { MembershipOverError } from './membership-over.ts'

type ConsumerGroup = {
  /** Created for every membership. Its commits carry the generation. */
  offsetManager: object
  commitOffsets(offsets?: object): Promise<void>
}

type Runner = { commitOffsets(offsets: object): Promise<void> | undefined }

const internal = createRequire(import.meta.url)
const { prototype } = internal('kafkajs/src/consumer/consumerGroup') as { prototype: ConsumerGroup }
const { prototype: runner } = internal('kafkajs/src/consumer/runner') as { prototype: Runner }
/** The methods as earlier patches have left them. */
const before = {
  group: {} as Pick<ConsumerGroup, 'commitOffsets'>,
  runner: {} as Pick<Runner, 'commitOffsets'>,
}
/**
 * The membership under which a commit was first tried, by the argument that kafkajs passes with
 * each try.
 */
const begun = new WeakMap<object, object>()
const committed = new WeakSet<object>()

async function commitWithinMembership(this: ConsumerGroup, offsets?: object): Promise<void> {
  if (offsets !== undefined) {
    const membership = begun.get(offsets) ?? this.offsetManager
    if (membership !== this.offsetManager) throw new MembershipOverError()
    begun.set(offsets, membership)
  }
  await before.group.commitOffsets.call(this, offsets)
  if (offsets !== undefined) committed.add(offsets)
}

async function commitOrReject(this: Runner, offsets: object): Promise<void> {
  await before.runner.commitOffsets.call(this, offsets)
  if (!committed.has(offsets)) throw new Error('the consumer does not run: nothing was committed')
}

/**
 * Call it before a process consumes. After a lost connection kafkajs 2.2.4 retries a commit under
 * any later membership, whose generation the group accepts. It could overwrite a commit that
 * another member made in between. kafkajs also reports a commit as successful without sending it
 * while the consumer is not running, as between a crash and its report.
 */
export function fenceGenerations(): void {
  replaceMethods(prototype, before.group, { commitOffsets: commitWithinMembership })
  replaceMethods(runner, before.runner, { commitOffsets: commitOrReject })
}
