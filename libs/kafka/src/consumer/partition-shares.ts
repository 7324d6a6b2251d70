/** The partitions that a member of a group has when it joins. */
export type Claim = {
  memberId: string
  owned: readonly number[]
  /** Generation in which the member last had them. -1 if the member did not send it. */
  generation: number
  /**
   * True if the member keeps working on them until it has released them. No other member may get
   * them before.
   */
  isKept: boolean
}

/**
 * Divides the partitions that may be assigned now. A partition whose owner still works on it is
 * assigned to nobody if the balance would move it. The owner misses it, drains it and joins again
 * without it. Only then is it free.
 */
export function divide(claims: readonly Claim[], partitions: number): Map<string, number[]> {
  const owners = ownersOf(claims)
  const wanted = share(
    claims.map(({ memberId, owned }) => ({
      memberId,
      owned: owned.filter((partition) => owners.get(partition)?.memberId === memberId),
    })),
    partitions,
  )
  for (const [memberId, mine] of wanted) {
    const given = mine.filter((partition) => {
      const owner = owners.get(partition)
      return owner === undefined || owner.memberId === memberId || !owner.isKept
    })
    wanted.set(memberId, given)
  }
  return wanted
}

/**
 * Resolves two claims on a partition in favour of the later owner: the other member was away
 * meanwhile.
 */
function ownersOf(claims: readonly Claim[]): Map<number, Claim> {
  const owners = new Map<number, Claim>()
  for (const claim of claims.toSorted((a, b) => (a.memberId < b.memberId ? -1 : 1))) {
    for (const partition of claim.owned) {
      const other = owners.get(partition)
      if (other === undefined || isStronger(claim, other)) owners.set(partition, claim)
    }
  }
  return owners
}

/** A member that keeps a partition has had no break, which is true of only one member. */
const isStronger = (one: Claim, other: Claim): boolean =>
  one.isKept === other.isKept ? one.generation > other.generation : one.isKept

/**
 * Spreads the partitions evenly: sizes differ by at most one. A member keeps its partitions up to
 * its quota. Of two claims the first member by id wins.
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
