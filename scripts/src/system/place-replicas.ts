import { freePort } from '../lib/ports.ts'
import {
  type Mode,
  type Program,
  type ServiceName,
  serviceNames,
  serviceTraits,
  singleProcess,
} from './service-catalog.ts'
import type { Address } from './service-environment.ts'

export type Replica = { program: Program; id: string; address: Address }

export type Placement = {
  replicas: readonly Replica[]
  /** The first replica of each service, to which the gateway sends requests. */
  addresses: Partial<Record<ServiceName, Address>>
}

export type PlacementOptions = {
  mode?: Mode
  replicas?: Partial<Record<ServiceName, number>>
  /** The gateway's port. */
  port?: number
}

/** Assigns free ports to the processes of a system. */
export async function placeReplicas(options: PlacementOptions): Promise<Placement> {
  const { mode, port } = options
  if (mode === 'single') {
    const address = { api: port ?? (await freePort()), internal: await freePort() }
    const replica = { program: singleProcess, id: singleProcess, address } as const
    return { replicas: [replica], addresses: { gateway: address } }
  }
  const wanted = serviceNames.flatMap((service) =>
    Array.from({ length: options.replicas?.[service] ?? 1 }, (_, index) => ({ service, index })),
  )
  const replicas = await Promise.all(
    wanted.map(async ({ service, index }) => {
      const asked = service === 'gateway' && index === 0 ? port : undefined
      const api = serviceTraits[service].api ? (asked ?? (await freePort())) : null
      const id = index === 0 ? service : `${service}-${index + 1}`
      return { program: service, id, address: { api, internal: await freePort() } }
    }),
  )
  const addresses = Object.fromEntries(
    replicas.toReversed().map(({ program, address }) => [program, address]),
  )
  return { replicas, addresses }
}
