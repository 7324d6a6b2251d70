import { existsSync, readdirSync } from 'node:fs'
import { internalUrlsOf } from '../measure/service-processes.ts'

/** Requests to Kafka so far, by service and API of the protocol. */
export type Requests = ReadonlyMap<string, number>

const series = /^surehook_kafka_requests_total\{(.*)\} (\d+)$/gm

export async function requestsOf(runDirs: readonly string[]): Promise<Requests> {
  const counts = new Map<string, number>()
  for (const url of servicesIn(runDirs).flatMap((name) => internalUrlsOf(runDirs, name))) {
    const text = await (await fetch(`${url}/metrics`)).text()
    for (const [, labels = '', count] of text.matchAll(series)) {
      const name = `${labelOf(labels, 'service')} ${labelOf(labels, 'api')}`
      counts.set(name, (counts.get(name) ?? 0) + Number(count))
    }
  }
  return new Map([...counts].toSorted(([a], [b]) => a.localeCompare(b)))
}

const labelOf = (labels: string, name: string) =>
  new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1] ?? ''

const services =
  /^(auth-service|data-api|gateway|single-process|webhook-api|webhook-dispatcher|webhook-matcher)/

function servicesIn(runDirs: readonly string[]): string[] {
  const files = runDirs.filter((dir) => existsSync(dir)).flatMap((dir) => readdirSync(dir))
  const names = files
    .filter((name) => name.endsWith('.pid'))
    .map((name) => services.exec(name)?.[0])
  return [...new Set(names.filter((name) => name !== undefined))]
}
