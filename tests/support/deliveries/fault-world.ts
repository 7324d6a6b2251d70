import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Stack } from '@surehook/scripts/local-stack/stack'
import type { Authority } from '@surehook/scripts/receiver/certificates'
import type { StartStack, TestSystem, TestSystemOptions } from '../open-system.ts'
import { openWorldWithStack, type World } from '../world.ts'
import { type DeliveryAudit, openDeliveryAudit } from './delivery-audit.ts'
import { EventWatch } from './event-watch.ts'
import { type Account, closeLedger } from './ledger.ts'
import { startLoad, type WrittenChange } from './load.ts'
import { type Subscriber, subscribeDoomed, subscribeTwice } from './subscribers.ts'

export type FaultWorld = World<TestSystem & { readonly stack: Stack }> & {
  /** It issued the certificates that the services trust. */
  readonly authority: Authority
  readonly audit: DeliveryAudit
  /**
   * Writes changes, makes the fault after a third of them, then closes the ledger and prints it.
   */
  duringLoad(load: FaultLoad, fault: Fault): Promise<void>
}

type Fault = (subscribers: readonly Subscriber[]) => Promise<void>

/** Per endpoint: 32 attempts in flight, and 128 outcomes whose offsets are not committed. */
export const undecidedAtMost = 32 + 128

export type FaultLoad = {
  cause: string
  changes: number
  mayRepeat?: number
  /**
   * The fault ends no membership of a dispatcher. One that ends all the same shows that the process
   * stood still, as on an overloaded machine: then deliveries may be repeated.
   */
  endsNoMembership?: boolean
  settleWithinMs?: number
  /** If true, a slow load continues as long as the fault, after `changes` changes. */
  goesOn?: boolean
  /** If true, deliveries fail for good, and the events about them are checked. */
  hasEvents?: boolean
}

const slowly = { concurrency: 4, pauseMs: 50 }

export async function openFaultWorld(
  options: TestSystemOptions = {},
  start?: StartStack,
): Promise<FaultWorld> {
  await using opening = new AsyncDisposableStack()
  // Generous: on a busy machine an attempt that ends after 5 s would repeat a delivery without a
  // fault.
  const env = { WEBHOOK_TIMEOUT: '30s', ...options.env }
  const world = opening.use(await openWorldWithStack({ ...options, env }, start))
  const audit = opening.use(await openDeliveryAudit(world.system.endpoints))
  const resources = opening.move()
  return {
    ...world,
    audit,
    async duringLoad({ cause, changes, goesOn = false, ...rest }, fault) {
      const startedAt = performance.now()
      const { hasEvents = false, endsNoMembership = false, ...settling } = rest
      const joinsBefore = endsNoMembership ? await joinsOf(world) : null
      const { receiver } = world
      const tenant = await world.tenant()
      const subscribers = await subscribeTwice(tenant, receiver)
      const events = hasEvents ? await watchEvents(world, tenant, subscribers) : null
      const load = startLoad(tenant, goesOn ? slowly : { changes })
      await load.reached(changes / 3)
      await events?.fail()
      await fault(subscribers)
      if (goesOn) load.stop()
      const written = await load.done
      const accounts = await closeLedger({
        ...{ audit, receiver, subscribers, written, ...settling },
        async mayRepeat() {
          const hasStoodStill = joinsBefore !== null && (await joinsOf(world)) !== joinsBefore
          return hasStoodStill ? undecidedAtMost : (rest.mayRepeat ?? 0)
        },
      })
      if (events !== null) await closeEvents(events, audit)
      for (const { path } of subscribers) receiver.forget(path)
      print({ cause, written, accounts, seconds: (performance.now() - startedAt) / 1000 })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** How often the dispatchers have joined their group. */
async function joinsOf({ system }: World): Promise<number> {
  const metrics = system.services['webhook-dispatcher'].map(async ({ internalUrl }) => {
    const text = await (await fetch(`${internalUrl}/metrics`)).text()
    const [, joins] =
      /surehook_kafka_requests_total\{[^}]*api="JoinGroup"[^}]*\} (\d+)/.exec(text) ?? []
    if (joins === undefined) throw new Error('A dispatcher has not joined its group')
    return Number(joins)
  })
  return (await Promise.all(metrics)).reduce((sum, joins) => sum + joins, 0)
}

async function closeEvents(events: EventWatch, audit: DeliveryAudit): Promise<void> {
  const { faults } = await events.close({ audit, hasCircuits: true, withinMs: 120_000 })
  if (faults.length > 0) throw new Error(faults.join('\n'))
  events.forget()
}

/** Adds a subscriber with dead letters. */
async function watchEvents(
  { receiver, tenant: newTenant }: Pick<World, 'receiver' | 'tenant'>,
  tenant: Tenant,
  subscribers: Subscriber[],
): Promise<EventWatch> {
  subscribers.push(await subscribeDoomed(tenant, receiver))
  const neighbour = await newTenant()
  return EventWatch.open(receiver, { tenant, neighbour }, subscribers)
}

type Result = { cause: string; written: WrittenChange; accounts: Account[]; seconds: number }

/** Jest's own console would add the source location to each line. */
function print({ cause, written, accounts, seconds }: Result): void {
  const each = accounts.map(
    ({ subscriber, matched, dead, repeated, overtaken }) =>
      `${subscriber} ${matched} matched, ${dead} dead, ${repeated} repeated, ${overtaken} overtaken`,
  )
  const unanswered = `${written.unanswered} tries unanswered`
  process.stdout.write(`${cause} (${seconds.toFixed(1)} s, ${unanswered}): ${each.join('; ')}\n`)
}
