import { loadNamespace } from './load.ts'
import { outside } from './servers.ts'
import type { Shell } from './shell.ts'

/** The connections that a network with the chart's NetworkPolicies allows and denies. */
const kafka = 'kafka-kafka-bootstrap.kafka.svc:9093'
const postgresql = `${outside.postgresql}:5432`
const redis = `${outside.redis}:6380`
const api = (service: string) => `surehook-${service}.surehook.svc:8080`

type Reach = { from: string; namespace: string; open: readonly string[]; closed: readonly string[] }

const inside = (service: string, reach: Pick<Reach, 'open' | 'closed'>): Reach => ({
  from: `deployment/surehook-${service}`,
  namespace: 'surehook',
  ...reach,
})

const reaches: readonly Reach[] = [
  {
    from: 'pod/load',
    namespace: loadNamespace,
    open: [api('gateway')],
    closed: [api('auth-service'), api('data-api'), api('postgres-source'), api('webhook-api')],
  },
  inside('gateway', {
    open: [api('auth-service'), api('data-api'), api('postgres-source'), api('webhook-api')],
    closed: [kafka, postgresql, redis],
  }),
  inside('auth-service', { open: [kafka, postgresql, redis], closed: [api('webhook-api')] }),
  inside('data-api', { open: [kafka, postgresql, api('auth-service')], closed: [redis] }),
  inside('postgres-source', { open: [kafka, postgresql], closed: [redis, api('auth-service')] }),
  inside('webhook-api', { open: [kafka, postgresql], closed: [redis, api('auth-service')] }),
  inside('webhook-matcher', { open: [kafka], closed: [postgresql, redis, api('gateway')] }),
  inside('webhook-dispatcher', {
    open: [kafka, redis],
    closed: [postgresql, api('gateway'), 'kubernetes.default.svc:443'],
  }),
]

/** Returns the wrongly denied and wrongly allowed connections, one sentence each. */
export async function wrongReaches(shell: Shell): Promise<{ shut: string[]; open: string[] }> {
  const shut: string[] = []
  const open: string[] = []
  for (const reach of reaches) {
    const connected = await connects(shell, reach)
    shut.push(
      ...reach.open
        .filter((to) => !connected.has(to))
        .map((to) => `${reach.from} does not reach ${to}`),
    )
    open.push(
      ...reach.closed.filter((to) => connected.has(to)).map((to) => `${reach.from} reaches ${to}`),
    )
  }
  return { shut, open }
}

async function connects(shell: Shell, { from, namespace, ...reach }: Reach): Promise<Set<string>> {
  const script = `
    const { connect } = require("node:net")
    const ask = (place) => new Promise((resolve) => {
      const [host, port] = place.split(":")
      const socket = connect({ host, port, timeout: 3000 })
      const end = (answer) => { socket.destroy(); resolve(answer) }
      socket.once("connect", () => end([place])).once("error", () => end([])).once("timeout", () => end([]))
    })
    Promise.all(process.argv.slice(1).map(ask)).then((all) => console.log(JSON.stringify(all.flat())))`
  const places = [...reach.open, ...reach.closed].join(' ')
  const answer = await shell.run(
    `kubectl exec ${from} --namespace ${namespace} -- node --eval '${script}' ${places}`,
  )
  return new Set(JSON.parse(answer) as string[])
}
