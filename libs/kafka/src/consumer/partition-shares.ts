/** What a member of a group has when it joins. */
export type Claim = {
  memberId: string
  owned: readonly number[]
  /** That of the membership in which it had them last; -1 when the member did not send it. */
  generation: number
  /** It goes on with them until it has let go: nobody else may be given them before. */
  isKept: boolean
}

/**
 * What each member may have now. Where the balance wants to move a partition that its owner still works
 * on, nobody is given it: the owner misses it, lets go, and joins again without it, and then it is free.
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

/** Of two that claim a partition the one that had it later: the other one was away meanwhile. */
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

/** Who keeps a partition is a member without a break, which nobody else can be as well. */
const isStronger = (one: Claim, other: Claim): boolean =>
  one.isKept === other.isKept ? one.generation > other.generation : one.isKept

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
