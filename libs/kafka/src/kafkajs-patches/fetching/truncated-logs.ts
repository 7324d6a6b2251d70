import { createRequire } from 'node:module'
import { replaceMethods } from '../replace-methods.ts'

type TopicPartition = { topic: string; partition: number }
type ConsumerGroup = {
  readonly groupId: string
  recoverFromOffsetOutOfRange(at: TopicPartition): Promise<void>
}

const internal = createRequire(import.meta.url)
const { prototype: group } = internal('kafkajs/src/consumer/consumerGroup') as {
  prototype: ConsumerGroup
}
/** The methods as earlier patches have left them. */
const before = {} as Pick<ConsumerGroup, 'recoverFromOffsetOutOfRange'>
const watchers = new Map<string, Set<(at: TopicPartition) => Promise<void>>>()

/**
 * Calls `watch` before reading continues at the start of the log, and repeats it as long as it
 * rejects.
 */
export function watchOutOfRange(
  groupId: string,
  watch: (at: TopicPartition) => Promise<void>,
): Disposable {
  const ofGroup = watchers.get(groupId) ?? new Set()
  watchers.set(groupId, ofGroup.add(watch))
  return {
    [Symbol.dispose]: () => {
      ofGroup.delete(watch)
      if (ofGroup.size === 0) watchers.delete(groupId)
    },
  }
}

/**
 * A fetch after the end of a log is refused if the log was truncated or its topic recreated.
 * kafkajs then silently continues at the beginning. A reader that relies on offsets would mistake
 * the new records for old ones.
 */
export function reportOutOfRange(): void {
  replaceMethods(group, before, {
    async recoverFromOffsetOutOfRange(this: ConsumerGroup, at: TopicPartition) {
      for (const watch of watchers.get(this.groupId) ?? []) await watch(at)
      await before.recoverFromOffsetOutOfRange.call(this, at)
    },
  })
}
