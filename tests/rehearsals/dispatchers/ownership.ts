import { setTimeout as sleep } from 'node:timers/promises'
import { deliveriesTopic } from '@surehook/contracts/topics'
import type { Admin } from '@surehook/kafka/client/surface'
import kafkajs from 'kafkajs'

export type Ownership = { at: number; memberOf: ReadonlyMap<number, string>; members: number }

/** Samples several times a second which member has which partition of the deliveries. */
export class OwnershipWatch {
  readonly seen: Ownership[] = []
  readonly #admin: Admin
  readonly #stop = new AbortController()
  readonly #watching: Promise<void>

  constructor(admin: Admin) {
    this.#admin = admin
    this.#watching = this.#watch()
  }

  get last(): Ownership | undefined {
    return this.seen.at(-1)
  }

  /** Returns the partitions that one member owned during the whole time. */
  unmoved(from: number, until: number): Set<number> {
    const before = this.seen.findLast(({ at }) => at <= from)
    const during = this.seen.filter(({ at }) => at > from && at <= until)
    const [first, ...others] = before === undefined ? during : [before, ...during]
    const stayed = [...(first?.memberOf ?? [])].filter(([partition, member]) =>
      others.every(({ memberOf }) => memberOf.get(partition) === member),
    )
    return new Set(stayed.map(([partition]) => partition))
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#watching
  }

  async #watch(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const { groups } = await this.#admin.describeGroups(['webhook-dispatcher'])
      const group = groups[0]
      if (group?.state === 'Stable') this.seen.push(ownershipOf(group.members))
      await sleep(200)
    }
  }
}

function ownershipOf(
  members: readonly { memberId: string; memberAssignment: Buffer }[],
): Ownership {
  const owned = members.flatMap(({ memberId, memberAssignment }) => {
    const decoded = kafkajs.AssignerProtocol.MemberAssignment.decode(memberAssignment)
    const partitions = decoded?.assignment[deliveriesTopic] ?? []
    return partitions.map((partition) => [partition, memberId] as const)
  })
  return { at: Date.now(), memberOf: new Map(owned), members: members.length }
}
