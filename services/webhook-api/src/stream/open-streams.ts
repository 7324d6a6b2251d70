import type { ServerResponse } from 'node:http'
import type { PlatformAccess } from '@surehook/access/management-access'
import { requiredRight } from '@surehook/access/management-token'
import type { EnvironmentOrigin } from '@surehook/access/platform-state'
import type { RuledUser } from '@surehook/access/users/rule-values'
import { type AdmittedUser, userKeyOf } from '@surehook/access/users/user-access'
import type { StreamQuery } from '@surehook/contracts/http/webhooks/stream'
import { changesTopic } from '@surehook/contracts/topics'
import type { Kafka } from '@surehook/kafka/client/surface'
import { LogEnds } from '@surehook/kafka/offsets/log-ends'
import { LogFetcher } from '@surehook/kafka/readers/log-fetcher'
import type { EventCodec } from '@surehook/schemas/codec'
import type { EncryptionKeys } from '@surehook/service-kit/config/config'
import { invalid, unavailable } from '@surehook/service-kit/errors'
import { WrittenAnswer } from '@surehook/service-kit/http/mount'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import { FairSlots } from '@surehook/service-kit/slots/fair-slots'
import { LoopTurns } from '@surehook/service-kit/slots/loop-turns'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import { firstOffsets } from '../change-log/own-changes.ts'
import { fitToTables } from '../tables/fit-to-table.ts'
import type { KnownTables } from '../tables/known-tables.ts'
import type { Tenant } from '../tenants/tenant.ts'
import { nextTurnOf } from './answer/reading-turns.ts'
import { RunningStreams } from './answer/running-streams.ts'
import { type FittedFilters, type StreamSelection, selectionOf } from './answer/stream-selection.ts'
import { type Reading, writeEvents, writePage } from './answer/write-answer.ts'
import { ownOffsetsAt, startPosition } from './cursor/start-position.ts'
import { ChangeSource } from './log/change-source.ts'
import { SharedTail } from './log/shared-tail.ts'
import { listView } from './rules/list-view.ts'
import { selectForUser } from './rules/user-selection.ts'
import { SharedSlots, type SharedSlotsOptions } from './shared-slots.ts'
import type { StreamCaller } from './stream-caller.ts'
import { StreamLimits } from './stream-limits.ts'
import { meterStreams } from './stream-meters.ts'

export type StreamsConfig = {
  encryptionKeys: EncryptionKeys
  streams: { perTenant: number; perUser: number; perReplica: number; heartbeatMs: number }
}

export type StreamsOptions = {
  kafka: Kafka
  codec: Pick<EventCodec, 'change'>
  tables: Pick<KnownTables, 'healthy' | 'current' | 'fieldsOf' | 'readableOf'>
  access: Pick<PlatformAccess, 'originOf' | 'standingOf'>
  config: StreamsConfig
  redis: SharedSlotsOptions['redis']
  metrics: Metrics
  log: Logger
}

export type StreamAsked = StreamCaller & {
  query: StreamQuery
  lastEventId: string | undefined
  context: Pick<RequestContext, 'req' | 'signal' | 'log' | 'right' | 'operation'>
}

export type Streams = AsyncDisposable & {
  /** Rejects with 4xx or 503 before it writes anything. */
  open(asked: StreamAsked): Promise<WrittenAnswer>
  /** Ends the open streams. Call it before the server waits for its answers. */
  endAll(): void
}

/**
 * The most fetched pieces, of about 1 MiB each, that streams behind the tail hold together: those of
 * one project read one after another.
 */
const heldPieces = { all: 32, each: 1 }

/** Opens the stream of changes. It stores nothing: after a crash a client needs only its cursor. */
export function openStreams(options: StreamsOptions): Streams {
  const { kafka, codec, config, access, metrics, log } = options
  const parts = new AsyncDisposableStack()
  const ends = parts.use(new LogEnds(kafka, [changesTopic], log))
  const fetcher = parts.use(new LogFetcher({ kafka, topic: changesTopic, log }))
  const slots = new FairSlots({ room: heldPieces })
  const loopTurns = new LoopTurns()
  const tail = parts.use(new SharedTail({ ...config, kafka, codec, ends, log }))
  const meters = meterStreams(metrics, () => limits.open)
  const shared = parts.use(new SharedSlots({ redis: options.redis, log }))
  const running = parts.use(new RunningStreams())
  const limits = new StreamLimits({ ...config.streams, shared, onRefused: meters.refused })

  /** Acquires everything that a stream holds, and adds it to `open`. */
  async function begin(asked: StreamAsked, open: DisposableStack): Promise<Reading> {
    const { tenant, query } = asked
    const origin = await access.originOf(tenant.projectId, tenant.environment)
    const { crowdedOut } = open.use(await limits.take(tenant, limitedUser(asked)))
    // Before the tail opens: a filter that does not fit gets 400 even if the tail cannot open.
    const selection = await select(options, asked)
    const lease = open.use(await tail.use())
    const madeAt = madeAtOf(origin)
    const first = firstOffsets(origin.changesFrom, lease.topicId)
    const start = { ...lease, ends, tenant, madeAt, first, now: Date.now }
    const position = await startPosition(start, { ...query, lastEventId: asked.lastEventId })
    const offsetsAt = ownOffsetsAt(ends, first)
    const read = { recent: lease.tail.recent, fetcher, slots, codec, offsetsAt, log }
    const source = new ChangeSource(read, tenant, position)
    const cursor = () => lease.cursors.encode({ position, madeAt }, tenant)
    const nextTurn = nextTurnOf(loopTurns, [tenant.projectId, tenant.environment])
    const reading = { source, position, selection, cursor, nextTurn }
    return { ...reading, lost: lease.tail.lost, crowdedOut, onEvents: meters.sent }
  }

  return {
    async open(asked) {
      const { query, context } = asked
      if (running.closed) throw unavailable('The streams are closed')
      refuseContradictions(query)
      const isStanding = asked.user?.isStanding ?? standing(access, context)
      using opening = new DisposableStack()
      const reading = await begin(asked, opening)
      const held = opening.move()
      const isAdmitted = () => isStanding() && reading.selection.isCurrent()
      const { heartbeatMs } = config.streams
      const write = query.format === 'sse' ? writeEvents : writePage
      return new WrittenAnswer(async (res: ServerResponse) => {
        using _held = held
        const end = await write({ reading, res, query, heartbeatMs, running, isAdmitted, context })
        if (end !== null) meters.ended(end)
      })
    },
    endAll() {
      running[Symbol.dispose]()
      // The tail closes in the background, because its waiting fetch takes up to a second to end.
      void tail[Symbol.asyncDispose]()
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

async function select(
  { tables, config }: Pick<StreamsOptions, 'tables' | 'config'>,
  { tenant, user, query }: StreamAsked,
): Promise<StreamSelection> {
  const reader = user && { user: ruledUser(tenant, user), values: user.values }
  const selection =
    reader === null
      ? await selectionOf(tenant, query, await fittedFilters(tables, tenant, query))
      : await selectForUser({ tables, users: reader.values }, reader.user, query)
  if (!query.list || query.table === undefined) return selection
  const [key] = config.encryptionKeys
  const view = await listView({ tables, key }, tenant, { reader, names: query.table })
  const isCurrent = () => selection.isCurrent() && view.isCurrent()
  return { ...selection, isCurrent, view: view.text }
}

const limitedUser = ({ tenant, user }: StreamCaller): string | null =>
  user && userKeyOf(ruledUser(tenant, user))

const ruledUser = (tenant: Tenant, { claims, issued }: AdmittedUser): RuledUser => ({
  ...{ tenant, id: claims.sub, roles: claims.roles, issued },
})

/** 0 for a state that does not say it. */
const madeAtOf = ({ createdAt }: EnvironmentOrigin): number => Date.parse(createdAt ?? '') || 0

function refuseContradictions({ format, limit, wait, from, cursor }: StreamQuery): void {
  const rule = 'not_together' as const
  const ofPages = { limit, wait }
  const faults = Object.entries(ofPages)
    .filter(([, value]) => format === 'sse' && value !== undefined)
    .map(([field]) => ({ field, message: 'only with format=ndjson', rule }))
  const both = from !== undefined && cursor !== undefined
  const ofStart = both ? [{ field: 'from', message: 'only without cursor', rule }] : []
  if (faults.length + ofStart.length > 0) throw invalid([...faults, ...ofStart])
}

function standing(
  access: Pick<PlatformAccess, 'standingOf'>,
  context: StreamAsked['context'],
): () => boolean {
  const { headers } = context.req
  const { authorization } = headers
  const projectId = headers['x-project-id']
  const environment = headers['environment']
  const right = requiredRight(context)
  return access.standingOf({ authorization, projectId, environment, right })
}

/**
 * Converts the filter to the column types of each table, as for a subscription. Resolves with
 * `undefined` for all tables.
 */
async function fittedFilters(
  tables: StreamsOptions['tables'],
  tenant: Tenant,
  { table, filter }: StreamQuery,
): Promise<FittedFilters | undefined> {
  if (table === undefined) return undefined
  if (filter !== undefined) await tables.current()
  const fieldsOf = (name: string) => tables.fieldsOf({ ...tenant, table: name })
  return fitToTables(filter, new Map(table.map((name) => [name, fieldsOf(name)])))
}
