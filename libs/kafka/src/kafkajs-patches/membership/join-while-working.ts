import { createRequire } from 'node:module'
import type { Assigner } from 'kafkajs'

/** A member as kafkajs knows it. */
export type KnownMember = {
  readonly memberId: string | null
  readonly generationId: number | null
}

/** A member that may keep working on its partitions while it joins its group again. */
export type WorkingMember = {
  /** A join begins. */
  joins: (member: KnownMember) => void
  /** Whether it goes on with what it has while it joins. */
  goesOn: () => boolean
  /** Whether the group is to be joined again though nobody asks for it. */
  wantsToJoin: () => boolean
  /** The group has shown during a join that it still knows the membership. */
  confirmed: () => void
}

type OffsetManager = { memberAssignment: Record<string, number[]> }

type ConsumerGroup = KnownMember & {
  readonly groupId: string
  assigners: (Assigner & { working?: WorkingMember })[]
  coordinator: { heartbeat(of: object): Promise<unknown> }
  offsetManager: OffsetManager
  joinAndSync(): Promise<void>
  fetch(nodeId: string): Promise<object[]>
  resolveOffset(at: { topic: string }): void
}

type Runner = {
  consumerGroup: ConsumerGroup
  stop(): Promise<void>
  heartbeatInterval: number
  heartbeat(): Promise<void>
}

type Request = { request: { apiKey: number } }
type Connection = object
type ConnectionPool = {
  getConnection(index?: number): Promise<Connection>
  getConnectionByRequest(request: Request): Promise<Connection>
  send(request: Request): Promise<unknown>
}

type Join = { beganAt: number; beatAt: number; failure: Error | null }

const internal = createRequire(import.meta.url)
const { prototype: runner } = internal('kafkajs/src/consumer/runner') as { prototype: Runner }
const { prototype: group } = internal('kafkajs/src/consumer/consumerGroup') as {
  prototype: ConsumerGroup
}
const { joinAndSync, resolveOffset } = group
const { stop } = runner
const { prototype: pool } = internal('kafkajs/src/network/connectionPool') as {
  prototype: ConnectionPool
}
/** As other patches have left them. */
const before = { heartbeat: runner.heartbeat, fetch: group.fetch, send: pool.send }

/**
 * A member is sure of its partitions for no longer while it joins. A group that does not hear of the join
 * ends the membership 30 s after it began to ask, which the member hears up to 9 s later, and the lease
 * of its last heartbeat lasts for 8 s.
 */
const sureForMs = 12_000

/** Joins that work goes on during, and those that any others began. */
const whileWorking = new WeakMap<ConsumerGroup, Join>()
const underWay = new WeakMap<ConsumerGroup, Promise<void>>()
/** What a consumer that was stopped has begun it tries no further: it would be a member that nobody knows. */
const stopped = new WeakSet<ConsumerGroup>()
const fenced = new WeakSet<ConsumerGroup>()

const workingMember = ({ assigners }: ConsumerGroup): WorkingMember | undefined =>
  assigners.find(({ working }) => working !== undefined)?.working

const isRebalance = (err: unknown): boolean =>
  err instanceof Error && 'type' in err && err.type === 'REBALANCE_IN_PROGRESS'

async function beat(this: Runner): Promise<void> {
  const { consumerGroup } = this
  const member = workingMember(consumerGroup)
  const join = whileWorking.get(consumerGroup)
  if (member === undefined) return before.heartbeat.call(this)
  if (join !== undefined) return beatWhileJoining(this, join, member)
  if (member.wantsToJoin()) return beginJoin(consumerGroup)
  try {
    await before.heartbeat.call(this)
  } catch (err) {
    if (!isRebalance(err) || !member.goesOn()) throw err
    beginJoin(consumerGroup)
  }
}

function beginJoin(consumerGroup: ConsumerGroup): void {
  const now = performance.now()
  const join: Join = { beganAt: now, beatAt: now, failure: null }
  whileWorking.set(consumerGroup, join)
  consumerGroup.joinAndSync().then(
    () => whileWorking.delete(consumerGroup),
    (err: Error) => {
      join.failure = err
    },
  )
}

async function beatWhileJoining(
  { consumerGroup, heartbeatInterval }: Runner,
  join: Join,
  member: WorkingMember,
): Promise<void> {
  if (join.failure !== null) {
    whileWorking.delete(consumerGroup)
    throw join.failure
  }
  const now = performance.now()
  if (now < join.beatAt + heartbeatInterval || now > join.beganAt + sureForMs) return
  join.beatAt = now
  const { groupId, memberId, generationId: groupGenerationId, coordinator } = consumerGroup
  try {
    await coordinator.heartbeat({ groupId, memberId, groupGenerationId })
    member.confirmed()
  } catch (err) {
    // Any other failure is the join's to meet; without a confirmation the lease ends.
    if (isRebalance(err)) member.confirmed()
  }
}

function refuseWhenStopped(consumerGroup: ConsumerGroup): void {
  if (fenced.has(consumerGroup)) return
  fenced.add(consumerGroup)
  consumerGroup.assigners = consumerGroup.assigners.map((assigner) => ({
    ...assigner,
    protocol(subscription) {
      if (stopped.has(consumerGroup)) throw new Error('the consumer was stopped')
      return assigner.protocol(subscription)
    },
  }))
}

/** One at a time: what reads the log may ask for a join while one is under way. */
function joinOnce(this: ConsumerGroup): Promise<void> {
  const member = workingMember(this)
  if (member === undefined) return joinAndSync.call(this)
  const begun = underWay.get(this)
  if (begun !== undefined) return begun
  refuseWhenStopped(this)
  member.joins(this)
  const join = joinAndSync.call(this).finally(() => underWay.delete(this))
  underWay.set(this, join)
  return join
}

/** What was asked for in the membership before has been asked for at places that are no longer right. */
async function fetchOfOneMembership(this: ConsumerGroup, nodeId: string): Promise<object[]> {
  const { offsetManager } = this
  try {
    const batches = await before.fetch.call(this, nodeId)
    return offsetManager === this.offsetManager ? batches : []
  } catch (err) {
    if (offsetManager === this.offsetManager) throw err
    return []
  }
}

function stopForGood(this: Runner): Promise<void> {
  stopped.add(this.consumerGroup)
  return stop.call(this)
}

/** A batch may end after its topic was taken away. */
function resolveOwned(this: ConsumerGroup, at: { topic: string }): void {
  if (this.offsetManager.memberAssignment[at.topic] !== undefined) resolveOffset.call(this, at)
}

const { getConnectionByRequest } = pool
const { JoinGroup, SyncGroup } = internal('kafkajs/src/protocol/requests/apiKeys') as Record<
  string,
  number
>
/** How many requests a pool waits for that the broker answers when all members have come. */
const waitingForMembers = new WeakMap<ConnectionPool, number>()
const waitsForMembers = ({ request: { apiKey } }: Request): boolean =>
  apiKey === JoinGroup || apiKey === SyncGroup

async function sendBeside(this: ConnectionPool, request: Request): Promise<unknown> {
  if (!waitsForMembers(request)) return before.send.call(this, request)
  waitingForMembers.set(this, (waitingForMembers.get(this) ?? 0) + 1)
  try {
    return await before.send.call(this, request)
  } finally {
    waitingForMembers.set(this, (waitingForMembers.get(this) ?? 1) - 1)
  }
}

/** A broker answers one request of a connection after the other; kafkajs has a second one, for fetches. */
function connectionBeside(this: ConnectionPool, request: Request): Promise<Connection> {
  const isHeldUp = !waitsForMembers(request) && (waitingForMembers.get(this) ?? 0) > 0
  return isHeldUp ? this.getConnection(1) : getConnectionByRequest.call(this, request)
}

/**
 * To be called before a process consumes, after other patches of it. kafkajs 2.2.4 stops reading, commits nothing and sends no heartbeat
 * while it joins a group again: a rebalance stops a member also when it keeps all of its partitions. A
 * member whose assigner says that it may goes on meanwhile, as those of Kafka's own cooperative protocol do
 * (KIP-429).
 */
export function joinWhileWorking(): void {
  if (runner.heartbeat !== beat) before.heartbeat = runner.heartbeat
  if (group.fetch !== fetchOfOneMembership) before.fetch = group.fetch
  if (pool.send !== sendBeside) before.send = pool.send
  runner.heartbeat = beat
  runner.stop = stopForGood
  group.joinAndSync = joinOnce
  group.fetch = fetchOfOneMembership
  group.resolveOffset = resolveOwned
  pool.send = sendBeside
  pool.getConnectionByRequest = connectionBeside
}
