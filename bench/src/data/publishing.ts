import type { RunningSystem } from '@surehook/scripts/lib/running-system'
import { Pool } from 'undici'
import { concurrency, type MeasureOptions, measure, printMeasured } from '../measure/measured.ts'
import { type BenchProject, createProject, newRecord } from '../platform/platform.ts'

const target = '1,000/s on two cores'
const perRequest = 100

/** Changes that a service publishes over HTTP. Nobody subscribes to them. */
export async function publishing(bench: MeasureOptions & { system: RunningSystem }): Promise<void> {
  const project = await createProject(bench.system)
  await using publisher = openPublisher(project)
  const change = () => ({
    table: 'published',
    event: 'INSERT',
    recordId: String(Math.random()),
    record: newRecord(),
  })
  const event = () => ({
    specversion: '1.0',
    id: String(Math.random()),
    source: '/bench',
    type: 'bench.insert',
    subject: `published/${Math.random()}`,
    data: newRecord(),
  })
  const measured = (what: string, one: () => Promise<number>, rate?: string) =>
    printRun(bench, { what, one, rate })
  await measured('changes over HTTP', () => publisher.send(change()), target)
  await measured(`requests with ${perRequest} changes`, () =>
    publisher.send(Array.from({ length: perRequest }, change)),
  )
  await measured('CloudEvents over HTTP', () =>
    publisher.send(event(), 'application/cloudevents+json'),
  )
}

type Run = { what: string; one: () => Promise<number>; rate: string | undefined }

async function printRun(bench: MeasureOptions, { what, one, rate }: Run): Promise<void> {
  const run = await measure(bench, one)
  printMeasured(what, run, { mine: 'data-api', ...(rate !== undefined && { rate }) })
}

function openPublisher({ system, headers }: BenchProject) {
  const pool = new Pool(system.baseUrl, { connections: concurrency })
  return {
    async send(body: unknown, type = 'application/json'): Promise<number> {
      const response = await pool.request({
        method: 'POST',
        path: '/gw/api/rest/_changes',
        headers: { ...headers, 'content-type': type },
        body: JSON.stringify(body),
      })
      await response.body.dump()
      return response.statusCode
    },
    [Symbol.asyncDispose]: () => pool.close(),
  }
}
