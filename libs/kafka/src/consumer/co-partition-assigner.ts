import type { Assigner, GroupMember, GroupMemberAssignment, PartitionAssigner } from 'kafkajs'
import { AssignerProtocol } from 'kafkajs'
import type { WorkingMember } from '../kafkajs-patches/membership/join-while-working.ts'
import { type Claim, divide } from './partition-shares.ts'

/** Offered by members that let go of a partition before another one is given it. */
export const cooperativeProtocol = 'surehook-co-partition-cooperative'
/** Of members that let go of everything before they join. */
const eagerProtocol = 'surehook-co-partition'
const version = 1

export type CoPartitionOptions = {
  /** What this member has, sent with each join. */
  claim: () => Omit<Claim, 'memberId'>
  /**
   * Called before each join. `false` puts the join off: kafkajs asks again after its retry
   * time, and the broker waits for the member, so that it can hand back what is in flight.
   */
  mayJoin: () => boolean
  working: WorkingMember
  /** The group takes one of these as long as a member offers no other. */
  older?: readonly PartitionAssigner[] | undefined
}

/** In the order of preference: the group takes the first that all its members offer. */
export const coPartitionAssigners = (options: CoPartitionOptions): PartitionAssigner[] => [
  coPartitionAssigner(cooperativeProtocol, options),
  coPartitionAssigner(eagerProtocol, options),
  ...(options.older ?? []),
]

/**
 * Gives a member the same partitions of every topic, so that all jobs of an endpoint are in one
 * process; sticky, so that a rebalance moves as few partitions as possible.
 */
function coPartitionAssigner(
  name: string,
  { claim, mayJoin, working }: CoPartitionOptions,
): PartitionAssigner {
  return ({ cluster }): Assigner & { working: WorkingMember } => ({
    name,
    version,
    working,
    async assign({ members, topics }) {
      const counts = topics.map((topic) => cluster.findTopicPartitionMetadata(topic).length)
      return assignPartitions(members, topics, counts)
    },
    protocol({ topics }) {
      if (!mayJoin()) throw new DrainPending()
      const userData = encodeClaim(claim())
      return {
        name,
        metadata: AssignerProtocol.MemberMetadata.encode({ version, topics, userData }),
      }
    },
  })
}

/** kafkajs takes an error of this type as "join again", after its retry time. */
class DrainPending extends Error {
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
  const claims = members.map(({ memberId, memberMetadata }) => ({
    memberId,
    ...decodeClaim(AssignerProtocol.MemberMetadata.decode(memberMetadata)?.userData),
  }))
  const shares = divide(claims, Math.max(0, ...counts))
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

type EncodedClaim = Omit<Claim, 'memberId'>

/** A member of the version before reads the numbers, and passes over what is none. */
export const encodeClaim = ({ owned, generation, isKept }: EncodedClaim): Buffer =>
  Buffer.from(JSON.stringify([...owned, { generation, isKept }]))

/** One of the version before has let go of what it claims, and tells of no generation. */
export function decodeClaim(userData: Buffer | null | undefined): EncodedClaim {
  const decoded: unknown = userData?.length ? JSON.parse(userData.toString()) : []
  const items: unknown[] = Array.isArray(decoded) ? decoded : []
  const owned = items.filter((item): item is number => Number.isInteger(item))
  const more = items.find((item) => typeof item === 'object' && item !== null) ?? {}
  const { generation, isKept } = more as Partial<EncodedClaim>
  return {
    owned,
    generation: typeof generation === 'number' ? generation : -1,
    isKept: isKept === true,
  }
}
