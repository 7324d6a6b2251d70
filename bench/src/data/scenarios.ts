import { randomInt } from 'node:crypto'
import { Pool } from 'undici'
import { concurrency, measure, printMeasured } from '../measure/measured.ts'
import { type BenchProject, createProject, newRecord } from '../platform/platform.ts'
import { type DataBench, fillTable, idOf, statuses, table } from './many-records.ts'
import { publishing } from './publishing.ts'
import { rules } from './rules.ts'

const targets = { reads: '1,500/s on two cores', writes: '1,000/s on two cores' } as const

/** Scenarios of `npm run bench` about data-api. */
export function dataScenarios(bench: DataBench): Record<string, () => Promise<void>> {
  return {
    data: () => data(bench),
    rules: () => rules(bench),
    publishing: () => publishing(bench),
  }
}

async function data(bench: DataBench): Promise<void> {
  const project = await createProject(bench.system)
  await fillTable(project, bench.rows)
  await using calls = openCalls(project)
  const anyId = () => idOf(randomInt(bench.rows))
  const where = (filter: object, limit: number) =>
    `?where=${encodeURIComponent(JSON.stringify(filter))}&limit=${limit}`
  const status = () => `s${randomInt(statuses)}`
  const among = `among ${bench.rows.toLocaleString('en')}`
  const scenarios: [what: string, one: () => Promise<number>, target?: string][] = [
    [`reads of a record ${among}`, () => calls.rest('GET', `/${anyId()}`), targets.reads],
    [`new records ${among}`, () => calls.rest('POST', '', newRecord()), targets.writes],
    [
      `new records ${among}, each with an Idempotency-Key`,
      () => calls.rest('POST', '', newRecord(), { 'idempotency-key': `k${Math.random()}` }),
    ],
    [
      `changes of a record ${among}`,
      () => calls.rest('PATCH', `/${anyId()}`, { sent_at: Math.random() }),
      targets.writes,
    ],
    [
      `lists of the one record with a unique value ${among}`,
      () => calls.rest('GET', where({ number: randomInt(bench.rows) }, 20)),
    ],
    [`lists of 20 of a tenth ${among}`, () => calls.rest('GET', where({ status: status() }, 20))],
    [
      `GraphQL: a record ${among}`,
      () =>
        calls.graphql(`query ($id: ID!) { bench_one(id: $id) { id status note } }`, {
          id: anyId(),
        }),
    ],
    [
      `GraphQL: a new record ${among}`,
      () =>
        calls.graphql(
          'mutation ($input: Bench_one_new!) { createBench_one(input: $input) { id } }',
          {
            input: newRecord(),
          },
        ),
    ],
  ]
  for (const [what, one, target] of scenarios) {
    const run = await measure(bench, one)
    printMeasured(what, run, { mine: 'data-api', ...(target !== undefined && { rate: target }) })
  }
  await project.call('DELETE', `/_tables/${table}`)
}

function openCalls({ system, headers }: BenchProject) {
  const pool = new Pool(system.baseUrl, { connections: concurrency })
  type Method = 'GET' | 'POST' | 'PATCH'
  const send = async (method: Method, path: string, sent: { body?: unknown; more?: object }) => {
    const body = sent.body === undefined ? null : JSON.stringify(sent.body)
    const given = { ...headers, ...sent.more }
    const response = await pool.request({ method, path, headers: given, body })
    await response.body.dump()
    return response.statusCode
  }
  return {
    // oxlint-disable-next-line max-params -- as a request reads: method, path, body, headers
    rest: (method: Method, path: string, body?: unknown, more: object = {}) =>
      send(method, `/gw/api/rest/${table}${path}`, { body, more }),
    graphql: (query: string, variables: object) =>
      send('POST', '/gw/api/graphql', { body: { query, variables } }),
    [Symbol.asyncDispose]: () => pool.close(),
  }
}
