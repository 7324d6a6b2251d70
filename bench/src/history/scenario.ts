import type { RunningSystem } from '@surehook/scripts/lib/running-system'
import { type BenchProject, createProject, createTable, subscribe } from '../platform/platform.ts'
import { milliseconds, printRows, type Row } from '../report/report.ts'
import { openManyDeliveries } from './many-deliveries.ts'

const days = 30
const repetitions = 25
const target = '< 50 ms'
const searchTarget = '< 20 ms'

type Page = { deliveries: { id: string; eventId: string; createdAt: string }[] }

/**
 * Measures queries on a history of that many deliveries of one subscription, through the gateway.
 */
export async function history(system: RunningSystem, deliveries: number): Promise<void> {
  const project = await createProject(system)
  await createTable(project, 'bench')
  const url = 'https://receiver.example/hook'
  const subscriptionId = await subscribe(project, 'bench', url)
  const { projectId } = project
  await using many = await openManyDeliveries(system.databaseUrl, { projectId, subscriptionId })
  await many.fill(deliveries, days)

  const rows: Row[] = []
  const at = `/_webhooks/${subscriptionId}`
  for (const [measure, path] of await questions(project, at)) {
    rows.push({ measure, value: await timed(project, 'GET', path), target })
  }
  for (const [measure, path] of await searches(project, subscriptionId)) {
    const value = await timed(project, 'GET', path)
    rows.push({ measure, value, target: searchTarget })
  }
  // Inactive: what is put back only to be counted is sent to nobody.
  await project.call('PATCH', at, { active: false })
  const since = new Date(0).toISOString()
  rows.push({
    measure: 'recover: 10,000 dead letters counted',
    value: await timed(project, 'POST', `${at}/recover`, { body: { since }, times: 1 }),
  })
  await project.call('DELETE', at)
  printRows(`history of ${deliveries.toLocaleString('en')} deliveries, 1 subscription`, rows)
}

async function questions(project: BenchProject, at: string): Promise<[string, string][]> {
  const list = `${at}/deliveries`
  const pageAt = (daysBack: number) => cursorAt(Date.now() - daysBack * 86_400_000)
  const since = new Date(Date.now() - 10 * 86_400_000).toISOString()
  const [newest] = ((await project.call('GET', `${list}?limit=1`)) as Page).deliveries
  const oldest = (await project.call('GET', `${list}?limit=1&cursor=${pageAt(28.5)}`)) as Page
  const [old] = oldest.deliveries
  return [
    ['a call that asks nothing of history', '/_webhooks?limit=1'],
    ['the subscription and its newest 50', at],
    ['list', list],
    ['list, limit 1000', `${list}?limit=1000`],
    ['list, a page in the middle', `${list}?cursor=${pageAt(15)}`],
    ['list, the last page', `${list}?cursor=${pageAt(29.9)}`],
    ['status delivered', `${list}?status=delivered`],
    ['status dead_letter, 1 in 100', `${list}?status=dead_letter`],
    ['status dead_letter, in the middle', `${list}?status=dead_letter&cursor=${pageAt(15)}`],
    ['status paused, 10 in all', `${list}?status=paused`],
    ['status cancelled, none', `${list}?status=cancelled`],
    ['since 10 days ago', `${list}?since=${since}`],
    ['since 10 days ago, status paused', `${list}?since=${since}&status=paused`],
    ['event, the newest', `${list}?eventId=${newest?.eventId}`],
    ['event, an old one', `${list}?eventId=${old?.eventId}`],
    ['event, none', `${list}?eventId=nothing`],
    ['detail, the newest', `${list}/${newest?.id}`],
    ['detail, an old one', `${list}/${old?.id}`],
  ]
}

/** The questions that search all subscriptions of the environment. */
async function searches(project: BenchProject, webhookId: string): Promise<[string, string][]> {
  const [newest] = ((await project.call('GET', '/_deliveries?limit=1')) as Page).deliveries
  const [since, until] = [20, 10].map((back) =>
    new Date(Date.now() - back * 86_400_000).toISOString(),
  )
  const filters = {
    'no filter': '',
    'status delivered': 'status=delivered',
    'status paused, 10 in all': 'status=paused',
    webhookId: `webhookId=${webhookId}`,
    table: 'table=bench',
    'table, none': 'table=nothing',
    eventId: `eventId=${newest?.eventId}`,
    'recordId, 100 in all': 'recordId=record-7',
    'httpStatus 204': 'httpStatus=204',
    'httpStatus 503': 'httpStatus=503',
    'httpStatus 404, none': 'httpStatus=404',
    'errorClass timeout': 'errorClass=timeout',
    'since, until': `since=${since}&until=${until}`,
  }
  const asked = Object.entries(filters).map(([name, query]): [string, string] => [
    `search, ${name}`,
    `/_deliveries?${query}`,
  ])
  return [...asked, ['stats of 7 days', `/_webhooks/${webhookId}/stats?window=7d`]]
}

/** As the service makes them: clients only pass them back. */
const cursorAt = (ms: number) =>
  Buffer.from(
    JSON.stringify([new Date(ms).toISOString(), 'ffffffff-ffff-4fff-bfff-ffffffffffff']),
  ).toString('base64url')

type TimedRequest = { body?: object; times?: number }

async function timed(
  project: BenchProject,
  method: string,
  path: string,
  // oxlint-disable-next-line max-params -- method and path belong together
  { body, times = repetitions }: TimedRequest = {},
): Promise<string> {
  const taken: number[] = []
  for (let n = 0; n < times; n++) {
    const startedAt = performance.now()
    await project.call(method, path, body)
    taken.push(performance.now() - startedAt)
  }
  taken.sort((a, b) => a - b)
  const median = taken[taken.length >> 1] ?? Number.NaN
  return `median ${milliseconds(median)}, slowest ${milliseconds(taken.at(-1) ?? Number.NaN)}`
}
