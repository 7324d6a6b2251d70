import { setTimeout as wait } from 'node:timers/promises'
import type { ServiceHandle } from '@surehook/scripts/system/start-services'
import { until } from '@surehook/testing/until'
import { type Balancer, openBalancer } from '../../../support/balancer.ts'

const lookEveryMs = 250
const answerWithinMs = 1_000
const answerAllWithinMs = 30_000

export type HealthyBalancer = AsyncDisposable & {
  readonly url: string
  watch(replicas: readonly ServiceHandle[]): void
  /**
   * Sends the replica no more requests. Resolves when it has answered those it has. Call it before
   * stopping the replica.
   */
  takeOut(replica: ServiceHandle): Promise<void>
  /** Sends requests to the replica again as soon as it is ready. */
  putBack(replica: ServiceHandle): void
}

/** Sends requests to the ready replicas, or to all if none is ready, as load balancers do. */
export async function openHealthyBalancer(): Promise<HealthyBalancer> {
  const balancer = await openBalancer()
  const stop = new AbortController()
  const out = new Set<ServiceHandle>()
  let watching = Promise.resolve()
  return {
    url: balancer.url,
    watch(replicas) {
      watching = keepLooking({ balancer, replicas, out, stop: stop.signal })
    },
    async takeOut(replica) {
      out.add(replica)
      const target = replica.apiUrl ?? ''
      const isIdle = () => !balancer.targets.includes(target) && balancer.open(target) === 0
      await until(isIdle, { what: `no request at ${target}`, timeoutMs: answerAllWithinMs })
    },
    putBack: (replica) => void out.delete(replica),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await watching
      await balancer[Symbol.asyncDispose]()
    },
  }
}

type Looking = {
  balancer: Balancer
  replicas: readonly ServiceHandle[]
  out: ReadonlySet<ServiceHandle>
  stop: AbortSignal
}

async function keepLooking({ balancer, replicas, out, stop }: Looking): Promise<void> {
  while (!stop.aborted) {
    const ready = await Promise.all(replicas.map(isReady))
    const left = replicas.filter((replica) => !out.has(replica))
    const taken = left.filter((replica) => ready[replicas.indexOf(replica)])
    balancer.send((taken.length > 0 ? taken : left).map(({ apiUrl }) => apiUrl ?? ''))
    await wait(lookEveryMs)
  }
}

const isReady = ({ internalUrl }: ServiceHandle): Promise<boolean> =>
  fetch(`${internalUrl}/readyz`, { signal: AbortSignal.timeout(answerWithinMs) }).then(
    ({ ok }) => ok,
    () => false,
  )
