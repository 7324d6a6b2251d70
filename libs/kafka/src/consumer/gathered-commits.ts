import type { EachBatchPayload } from 'kafkajs'

type Commit = EachBatchPayload['commitOffsetsIfNecessary']
type Position = { topic: string; partition: number; offset: string }
type Round = { commit: Commit; positions: Position[]; done: Promise<void> }

/**
 * The partitions of one fetch are handled at the same time and end together, since what they produce is
 * acknowledged together: one request commits them all.
 */
export class GatheredCommits {
  #round: Round | null = null

  /** Resolves when the batch is committed; rejects, for everybody of the same request, when it is not. */
  add({ batch, commitOffsetsIfNecessary }: EachBatchPayload): Promise<void> {
    const round = (this.#round ??= this.#begin(commitOffsetsIfNecessary))
    // Of the newest payload: an older one may be of a membership that has ended.
    round.commit = commitOffsetsIfNecessary
    const offset = String(BigInt(batch.lastOffset()) + 1n)
    round.positions.push({ topic: batch.topic, partition: batch.partition, offset })
    return round.done
  }

  #begin(commit: Commit): Round {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const round: Round = { commit, positions: [], done: promise }
    // After the promises that resolved together with this one have been followed.
    setImmediate(() => {
      this.#round = null
      round.commit({ topics: byTopic(round.positions) }).then(resolve, reject)
    })
    return round
  }
}

function byTopic(positions: readonly Position[]) {
  const topics = Map.groupBy(positions, ({ topic }) => topic)
  return Array.from(topics, ([topic, of]) => ({
    topic,
    partitions: of.map(({ partition, offset }) => ({ partition, offset })),
  }))
}
