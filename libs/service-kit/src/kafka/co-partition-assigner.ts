import type { GroupMember, GroupMemberAssignment, PartitionAssigner } from 'kafkajs'
import { AssignerProtocol } from 'kafkajs'

const name = 'surehook-co-partition'
const version = 1

export type CoPartitionOptions = {
  /** The partitions that this member owns now; it keeps them where the balance allows. */
  owned: () => readonly number[]
  /**
   * Called before each (re)join. `false` puts the join off: kafkajs asks again after its retry
   * time, and the broker waits for the member, so that it can hand back what is in flight.
   */
  mayJoin: () => boolean
  /** The group takes one of these as long as a member offers no other. */
  older?: readonly PartitionAssigner[] | undefined
}

/** In the order of preference. */
export const coPartitionAssigners = (options: CoPartitionOptions): PartitionAssigner[] => [
  coPartitionAssigner(options),
  ...(options.older ?? []),
]

/**
 * Gives a member the same partitions of every topic, so that all jobs of an endpoint are in one
 * process; sticky, so that a rebalance moves as few partitions as possible.
 */
export function coPartitionAssigner({ owned, mayJoin }: CoPartitionOptions): PartitionAssigner {
  return ({ cluster }) => ({
    name,
    version,
    async assign({ members, topics }) {
      const counts = topics.map((topic) => cluster.findTopicPartitionMetadata(topic).length)
      return assignPartitions(members, topics, counts)
    },
    protocol({ topics }) {
      if (!mayJoin()) throw new HandOverPending()
      const userData = Buffer.from(JSON.stringify(owned()))
      return {
        name,
        metadata: AssignerProtocol.MemberMetadata.encode({ version, topics, userData }),
      }
    },
  })
}

/** kafkajs takes an error of this type as "join again", after its retry time. */
class HandOverPending extends Error {
  readonly type = 'REBALANCE_IN_PROGRESS'
  constructor() {
    super('work in flight is being handed back before the group is joined again')
  }
}

function assignPartitions(
  members: GroupMember[],
  topics: string[],
  counts: number[],
): GroupMemberAssignment[] {
  const partitions = Math.max(0, ...counts)
  const shares = share(
    members.map(({ memberId, memberMetadata }) => ({ memberId, owned: ownedBy(memberMetadata) })),
    partitions,
  )
  return members.map(({ memberId }) => {
    const mine = shares.get(memberId) ?? []
    const assignment = Object.fromEntries(
      topics.map((topic, index) => [topic, mine.filter((p) => p < (counts[index] ?? 0))]),
    )
    return {
      memberId,
      memberAssignment: AssignerProtocol.MemberAssignment.encode({
        version,
        assignment,
        userData: Buffer.alloc(0),
      }),
    }
  })
}

/**
 * Spreads the partitions evenly (sizes differ by one at most). Whoever has one keeps it up to its
 * quota; of two claims the first member by id wins.
 */
export function share(
  members: readonly { memberId: string; owned: readonly number[] }[],
  partitions: number,
): Map<string, number[]> {
  const sorted = members.toSorted((a, b) => (a.memberId < b.memberId ? -1 : 1))
  const quota = Math.floor(partitions / sorted.length)
  let larger = partitions % sorted.length
  const free = new Set(Array.from({ length: partitions }, (_, p) => p))
  const shares = new Map<string, number[]>()
  for (const { memberId, owned } of sorted) {
    const kept: number[] = []
    for (const partition of owned) {
      if (!free.has(partition)) continue
      if (kept.length >= quota) {
        if (kept.length > quota || larger === 0) break
        larger--
      }
      kept.push(partition)
      free.delete(partition)
    }
    shares.set(memberId, kept)
  }
  const rest = free.values()
  for (const { memberId } of sorted) {
    const mine = shares.get(memberId) as number[]
    while (mine.length < quota) mine.push(take(rest))
    if (mine.length === quota && larger > 0) {
      larger--
      mine.push(take(rest))
    }
    mine.sort((a, b) => a - b)
  }
  return shares
}

function take(rest: Iterator<number>): number {
  const next = rest.next()
  if (next.done) throw new Error('fewer partitions than quotas')
  return next.value
}

function ownedBy(memberMetadata: Buffer): number[] {
  const userData = AssignerProtocol.MemberMetadata.decode(memberMetadata)?.userData
  if (!userData?.length) return []
  const owned: unknown = JSON.parse(userData.toString())
  return Array.isArray(owned) ? owned.filter((p): p is number => Number.isInteger(p)) : []
}
