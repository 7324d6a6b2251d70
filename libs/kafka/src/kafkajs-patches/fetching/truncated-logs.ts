import { createRequire } from 'node:module'

type Place = { topic: string; partition: number }
type ConsumerGroup = {
  readonly groupId: string
  recoverFromOffsetOutOfRange(at: Place): Promise<void>
}

const internal = createRequire(import.meta.url)
const { prototype: group } = internal('kafkajs/src/consumer/consumerGroup') as {
  prototype: ConsumerGroup
}
const { recoverFromOffsetOutOfRange: recover } = group
const watchers = new Map<string, Set<(at: Place) => Promise<void>>>()

/** `watch` is called before reading goes on where the log begins; as often as it rejects. */
export function watchOutOfRange(groupId: string, watch: (at: Place) => Promise<void>): Disposable {
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
 * A fetch behind the end of a log, which was truncated or whose topic was made anew, is refused. kafkajs
 * goes on at the beginning and tells nobody: who counts on offsets takes the new records for old ones.
 */
export function reportOutOfRange(): void {
  group.recoverFromOffsetOutOfRange = async function (at) {
    for (const watch of watchers.get(this.groupId) ?? []) await watch(at)
    await recover.call(this, at)
  }
}
