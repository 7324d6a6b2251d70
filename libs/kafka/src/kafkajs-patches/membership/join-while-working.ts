import { createRequire } from 'node:module'
import type { Assigner } from 'kafkajs'
import { replaceMethods } from '../replace-methods.ts'

/** The member fields of kafkajs. */
export type MemberIdentity = {
  readonly memberId: string | null
  readonly generationId: number | null
}

/** A member that may keep working on its partitions while it rejoins its group. */
export type WorkingMember = {
  /** Called when a join begins. */
  joins: (member: MemberIdentity) => void
  /** Called when a join has failed. The group may know of it, or not. */
  failed: (member: MemberIdentity) => void
  /** True if the member keeps working on its partitions while it joins. */
  goesOn: () => boolean
  /** True to join the group again without a request of the coordinator. */
  wantsToJoin: () => boolean
  /** Called when the group has confirmed the membership during a join. */
  confirmed: () => void
}

type OffsetManager = { memberAssignment: Record<string, number[]> }

type ConsumerGroup = MemberIdentity & {
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
const { prototype: pool } = internal('kafkajs/src/network/connectionPool') as {
  prototype: ConnectionPool
}
/** The methods as earlier patches have left them. */
const before = {
  runner: {} as Pick<Runner, 'heartbeat' | 'stop'>,
  group: {} as Pick<ConsumerGroup, 'joinAndSync' | 'fetch' | 'resolveOffset'>,
  pool: {} as Pick<ConnectionPool, 'send' | 'getConnectionByRequest'>,
}

/**
 * Milliseconds for which a joining member sends heartbeats. If its join does not reach the group,
 * the group ends the membership 30 s after it requested the join. The member learns of the request
 * up to 9 s late, and the lease of its last heartbeat lasts 8 s.
 */
const sureForMs = 12_000

/** Joins during which work continues, and all joins under way. */
const whileWorking = new WeakMap<ConsumerGroup, Join>()
const underWay = new WeakMap<ConsumerGroup, Promise<void>>()
/** Stopped consumers must not retry a join: the group would get a member that nobody serves. */
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
  if (member === undefined) return before.runner.heartbeat.call(this)
  if (join !== undefined) return beatWhileJoining(this, join, member)
  if (member.wantsToJoin()) return beginJoin(consumerGroup)
  try {
    await before.runner.heartbeat.call(this)
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
    // The join itself handles any other failure. Without a confirmation the lease ends.
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

/** Allows one join at a time: the fetch loop may request one while another is under way. */
function joinOnce(this: ConsumerGroup): Promise<void> {
  const member = workingMember(this)
  if (member === undefined) return before.group.joinAndSync.call(this)
  const begun = underWay.get(this)
  if (begun !== undefined) return begun
  refuseWhenStopped(this)
  member.joins(this)
  const join = before.group.joinAndSync
    .call(this)
    .catch((err: unknown) => {
      member.failed(this)
      throw err
    })
    .finally(() => underWay.delete(this))
  underWay.set(this, join)
  return join
}

/** Drops fetches of the previous membership, because their offsets are no longer right. */
async function fetchOfOneMembership(this: ConsumerGroup, nodeId: string): Promise<object[]> {
  const { offsetManager } = this
  try {
    const batches = await before.group.fetch.call(this, nodeId)
    return offsetManager === this.offsetManager ? batches : []
  } catch (err) {
    if (offsetManager === this.offsetManager) throw err
    return []
  }
}

function stopForGood(this: Runner): Promise<void> {
  stopped.add(this.consumerGroup)
  return before.runner.stop.call(this)
}

/** A batch may end after its topic was revoked. */
function resolveOwned(this: ConsumerGroup, at: { topic: string }): void {
  const isOwned = this.offsetManager.memberAssignment[at.topic] !== undefined
  if (isOwned) before.group.resolveOffset.call(this, at)
}

const { JoinGroup, SyncGroup } = internal('kafkajs/src/protocol/requests/apiKeys') as Record<
  string,
  number
>
/** Number of requests of a pool that the broker answers only after all members have joined. */
const waitingForMembers = new WeakMap<ConnectionPool, number>()
const waitsForMembers = ({ request: { apiKey } }: Request): boolean =>
  apiKey === JoinGroup || apiKey === SyncGroup

async function sendBeside(this: ConnectionPool, request: Request): Promise<unknown> {
  if (!waitsForMembers(request)) return before.pool.send.call(this, request)
  waitingForMembers.set(this, (waitingForMembers.get(this) ?? 0) + 1)
  try {
    return await before.pool.send.call(this, request)
  } finally {
    waitingForMembers.set(this, (waitingForMembers.get(this) ?? 1) - 1)
  }
}

/**
 * A broker answers the requests of a connection in order. kafkajs has a second connection for
 * fetches.
 */
function connectionBeside(this: ConnectionPool, request: Request): Promise<Connection> {
  const isHeldUp = !waitsForMembers(request) && (waitingForMembers.get(this) ?? 0) > 0
  return isHeldUp ? this.getConnection(1) : before.pool.getConnectionByRequest.call(this, request)
}

/**
 * Call it before a process consumes, after its other patches. While kafkajs 2.2.4 rejoins a group
 * it stops reading, commits nothing and sends no heartbeat. A rebalance therefore stops even a
 * member that keeps all its partitions. With this patch a member keeps working if its assigner
 * allows it, as Kafka's own cooperative protocol does (KIP-429).
 */
export function joinWhileWorking(): void {
  replaceMethods(runner, before.runner, { heartbeat: beat, stop: stopForGood })
  replaceMethods(group, before.group, {
    joinAndSync: joinOnce,
    fetch: fetchOfOneMembership,
    resolveOffset: resolveOwned,
  })
  replaceMethods(pool, before.pool, {
    send: sendBeside,
    getConnectionByRequest: connectionBeside,
  })
}
