import { createDeliveryDays } from '../../src/history/rows/delivery-days.ts'
import { createDeliveryStore, type DeliveryStore } from '../../src/history/write/delivery-store.ts'
import { openWorld, type Running, type World } from './under-test.ts'

/** A running service, and the store to write its history directly. */
export type HistoryWorld = World & { service: Running; store: DeliveryStore }

export async function openHistoryWorld(): Promise<HistoryWorld> {
  await using opening = new AsyncDisposableStack()
  const world = opening.use(await openWorld())
  const service = opening.use(await world.startService())
  const store = createDeliveryStore(world.historyPool, createDeliveryDays(world.historyPool))
  const resources = opening.move()
  return { ...world, service, store, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
