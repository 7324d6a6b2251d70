import kafkajs, {
  type Assigner,
  type GroupMember,
  type GroupMemberAssignment,
  type PartitionAssigner,
} from 'kafkajs'
import type { WorkingMember } from '../kafkajs-patches/membership/join-while-working.ts'
import { type Claim, divide } from './partition-shares.ts'

const { AssignerProtocol } = kafkajs

/** Protocol of members that release a partition before another member gets it. */
export const cooperativeProtocol = 'surehook-co-partition-cooperative'
/** Protocol of members that release all partitions before they join. */
const eagerProtocol = 'surehook-co-partition'
const version = 1

export type CoPartitionOptions = {
  /** Returns the claim of this member, sent with each join. */
  claim: () => Omit<Claim, 'memberId'>
  /**
   * Called before each join. `false` delays the join: kafkajs asks again after its retry time. The
   * broker waits for the member, which can finish its work in flight.
   */
  mayJoin: () => boolean
  /** For a member that keeps working on its partitions while it joins. */
  working?: WorkingMember
}

/** Assigners in order of preference. The group uses the first one that all members support. */
export const coPartitionAssigners = (options: CoPartitionOptions): PartitionAssigner[] => [
  coPartitionAssigner(cooperativeProtocol, options),
  coPartitionAssigner(eagerProtocol, options),
]

/** For members that drop their open work with each join: they claim nothing. */
export const claimlessCoPartitionAssigner = (): PartitionAssigner =>
  coPartitionAssigner(eagerProtocol, {
    claim: () => ({ owned: [], generation: -1, isKept: false }),
    mayJoin: () => true,
  })

/**
 * Assigns a member the same partitions of every topic, so that all messages of an endpoint are in
 * one process. The assignment is sticky: a rebalance moves as few claimed partitions as possible.
 */
function coPartitionAssigner(
  name: string,
  { claim, mayJoin, working }: CoPartitionOptions,
): PartitionAssigner {
  return ({ cluster }): Assigner & { working?: WorkingMember } => ({
    name,
    version,
    ...(working === undefined ? {} : { working }),
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

/** kafkajs treats an error of this type as a request to join again after its retry time. */
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

/** A member of the previous version reads only the numbers and ignores other items. */
export const encodeClaim = ({ owned, generation, isKept }: EncodedClaim): Buffer =>
  Buffer.from(JSON.stringify([...owned, { generation, isKept }]))

/** A member of the previous version has released what it claims, and sends no generation. */
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
