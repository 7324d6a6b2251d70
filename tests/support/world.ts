import type { EventPayload } from '@surehook/contracts/events/event-payload'
import { createTenant, type Tenant, type TenantOptions } from '@surehook/scripts/client/tenant'
import type { Authority, Certificates } from '@surehook/scripts/receiver/certificates'
import { openReceiver, type Receipt, type Receiver } from '@surehook/scripts/receiver/receiver'
import { patienceMs, until } from '@surehook/testing/until'
import {
  openSystem,
  openSystemWithStack,
  type StartStack,
  type TestSystem,
  type TestSystemOptions,
} from './open-system.ts'
import type { SystemAddress } from './system-address.ts'
import { openTrustedCertificates } from './trusted-certificates.ts'

export type World<System extends SystemAddress = TestSystem> = AsyncDisposable & {
  readonly system: System
  readonly receiver: Receiver
  /** Certificates for receivers at localhost, from an authority that the services trust. */
  readonly certificates: Certificates
  tenant(options?: TenantOptions): Promise<Tenant>
}

/** Opens the services, and an HTTPS receiver that they trust. */
export const openWorld = (options: TestSystemOptions = {}) => worldOn(openSystem, options)

/** Like `openWorld`, on a separate stack whose parts may be killed. */
export const openWorldWithStack = (options: TestSystemOptions = {}, start?: StartStack) =>
  worldOn((chosen) => openSystemWithStack(chosen, start), options)

/** Opens a world on the system that `open` starts. `authority` issued its certificates. */
export async function worldOn<System extends TestSystem>(
  open: (options: TestSystemOptions) => Promise<System>,
  options: TestSystemOptions,
): Promise<World<System> & { readonly authority: Authority }> {
  await using opening = new AsyncDisposableStack()
  const { authority, certificates, env: trust } = opening.use(await openTrustedCertificates())
  const receiver = opening.use(await openReceiver(certificates))
  const env = { ...trust, ...options.env }
  const system = opening.use(await open({ ...options, env }))
  const resources = opening.move()
  return {
    system,
    receiver,
    certificates,
    authority,
    tenant: (tenantOptions) => createTenant(system, tenantOptions),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

export const payloadOf = ({ body }: Pick<Receipt, 'body'>): EventPayload =>
  JSON.parse(body) as EventPayload

/** Repeats `read` until `wanted` accepts the result. The error contains the last result. */
export async function eventually<T>(
  read: () => Promise<T>,
  wanted: (value: T) => boolean,
  withinMs = patienceMs,
): Promise<T> {
  let last: T | undefined
  const isWanted = async () => {
    last = await read()
    return wanted(last)
  }
  const what = () => `what the test waits for, last seen as ${JSON.stringify(last)}`
  await until(isWanted, { what, timeoutMs: withinMs })
  return last as T
}
