import { createTenant } from '@surehook/scripts/client/tenant'
import { startMailCatcher } from '@surehook/scripts/mail/mail-catcher'
import { openReceiver } from '@surehook/scripts/receiver/receiver'
import { type AuthWorld, authWorldOf } from '../auth/auth-world.ts'
import { type ListeningWorld, listeningWorldOf } from '../listening-world.ts'
import type { World } from '../world.ts'
import { type SharedSystem, sharedSystem } from './ask-shared.ts'

export type SharedWorld = World<SharedSystem>
export type SharedListeningWorld = ListeningWorld<SharedSystem>
export type SharedAuthWorld = AuthWorld<SharedSystem>

/**
 * The system that the end-to-end tests of this Jest worker share, with a receiver of this file. A
 * test that changes the settings of services, or stops one, opens a world of its own.
 */
export async function openSharedWorld(): Promise<SharedWorld> {
  const system = await sharedSystem()
  const receiver = await openReceiver(system.certificates)
  return {
    system,
    receiver,
    certificates: system.certificates,
    tenant: (options) => createTenant(system, options),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}

/** `openSharedWorld`, whose tenants have a table and whose receiver has a path per subscription. */
export const openSharedListeningWorld = async (): Promise<SharedListeningWorld> =>
  listeningWorldOf(await openSharedWorld())

/** `openSharedWorld` with a readable mail server. Clients may set their own address. */
export async function openSharedAuthWorld(): Promise<SharedAuthWorld> {
  await using opening = new AsyncDisposableStack()
  const world = opening.use(await openSharedWorld())
  const catcher = opening.use(await startMailCatcher({ port: world.system.mailPort }))
  const resources = opening.move()
  const dispose = () => resources.disposeAsync()
  return { ...authWorldOf(world, catcher), [Symbol.asyncDispose]: dispose }
}
