import { freePort } from '@surehook/scripts/lib/ports'
import type { ComponentName } from '@surehook/scripts/local-stack/component'
import type { KafkaListener } from '@surehook/scripts/local-stack/kafka'
import { type ServiceName, serviceNames } from '@surehook/scripts/system/service-catalog'
import type { Ways } from '@surehook/scripts/system/ways'
import { type LinkState, TcpProxy } from '@surehook/testing/tcp-proxy'
import { components, needs } from '../plan.ts'

/** The connection of one process to one component. */
type Link = {
  replica: string
  service: ServiceName | 'publisher'
  to: ComponentName
  tcp: TcpProxy
}

export type Links = AsyncDisposable & {
  /** The ports on which the components must listen. */
  readonly ports: Readonly<Record<ComponentName, number>>
  /** The broker advertises to each client the link that the client used. */
  readonly kafkaListeners: readonly KafkaListener[]
  waysOf(replica: string): Ways
  set(state: LinkState, which: (link: Pick<Link, 'replica' | 'service' | 'to'>) => boolean): void
}

export const publisherReplica = 'publisher'

export const replicaName = (service: ServiceName, place: number): string =>
  place === 0 ? service : `${service}-${place + 1}`

/** Opens a TCP proxy between each replica and each of its components, and one for a publisher. */
export async function openLinks(replicas: Readonly<Record<ServiceName, number>>): Promise<Links> {
  await using opening = new AsyncDisposableStack()
  const ports = Object.fromEntries(
    await Promise.all(components.map(async (name) => [name, await freePort()] as const)),
  ) as Record<ComponentName, number>
  const links: Link[] = []
  const kafkaListeners: KafkaListener[] = []
  const open = async (replica: string, service: Link['service'], to: ComponentName) => {
    const port = to === 'kafka' ? await freePort() : ports[to]
    const tcp = opening.use(await TcpProxy.open(port))
    links.push({ replica, service, to, tcp })
    if (to === 'kafka') kafkaListeners.push({ port, advertised: tcp.port })
  }
  await open(publisherReplica, 'publisher', 'kafka')
  for (const service of serviceNames) {
    for (let place = 0; place < replicas[service]; place++) {
      for (const to of needs[service]) await open(replicaName(service, place), service, to)
    }
  }
  const resources = opening.move()
  return {
    ports,
    kafkaListeners,
    waysOf: (replica) =>
      Object.fromEntries(
        links.filter((link) => link.replica === replica).map(({ to, tcp }) => [to, tcp.port]),
      ),
    set(state, which) {
      for (const link of links) if (which(link)) link.tcp.set(state)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
