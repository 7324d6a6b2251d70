import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { answersOk } from '@surehook/scripts/lib/http-probe'
import { startLocalStack } from '@surehook/scripts/local-stack/local-stack'
import { newSecrets } from '@surehook/scripts/system/service-catalog'
import { startServices } from '@surehook/scripts/system/start-services'
import { waitUntil } from '@surehook/service-kit/wait-until'
import { openUsers } from '../auth/users.ts'
import { usageOf } from '../measure/processes.ts'
import { createProject } from '../platform/platform.ts'
import { milliseconds, printRows, type Row } from '../report/report.ts'
import { type OtherRun, openOtherRequests } from './other-requests.ts'
import {
  openSlowConnections,
  type SlowConnectionsOptions,
  type SlowReport,
} from './slow-connections.ts'

/**
 * Measures the effect of slow clients on others: p99 through the gateway with and without their
 * connections, on a separate system.
 */
const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '2000' },
    /** How long each part is measured, in seconds. */
    seconds: { type: 'string', default: '10' },
    /** How often each part is measured, alternately without and with slow clients. */
    rounds: { type: 'string', default: '3' },
    perSecond: { type: 'string', default: '100' },
    only: { type: 'string' },
  },
})
const count = Number(values.connections)
const seconds = Number(values.seconds)
const load = { perSecond: Number(values.perSecond), seconds }
const warmUpSeconds = 10
const largeBytes = 100_000

await using cleanup = new AsyncDisposableStack()
const dir = cleanup.adopt(await mkdtemp(join(tmpdir(), 'slow-clients-')), (path) =>
  rm(path, { recursive: true }),
)
const stack = await startLocalStack({ dir: join(dir, 'stack') })
cleanup.defer(() => stack.stop())
const system = await startServices({
  dir: join(dir, 'services'),
  endpoints: stack,
  secrets: newSecrets(),
  // The other requests come from this trusted address, and the slow connections do not.
  env: { TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'warn' },
})
cleanup.defer(() => system.stop())
const port = Number(new URL(system.baseUrl).port)
const project = await createProject(
  { ...stack, ...system, retryDelays: [], circuitCooldown: '2m' },
  { emailVerification: false },
)
const token = await newUserToken()
const other = cleanup.use(openOtherRequests(system.baseUrl, { headers: project.headers, token }))

type Variant = Omit<SlowConnectionsOptions, 'port' | 'count'>

const login = 'POST /auth/login HTTP/1.1\r\nHost: g'
const place = `X-Project-Id: ${project.projectId}\r\nContent-Type: application/json`
const chunked = { head: `${login}\r\n${place}\r\nTransfer-Encoding: chunked`, body: '1\r\n{\r\n' }
const variants: Readonly<Record<string, Variant>> = {
  'chunked bodies of 250 clients': { ...chunked, clients: 250 },
  'chunked bodies of one client': { ...chunked, clients: 1 },
  'half-sent heads of 250 clients': { head: login, body: null, clients: 250 },
  'half-sent heads of one client': { head: login, body: null, clients: 1 },
  'large bodies with a user token, of 250 clients': {
    head: `POST /gw/api/rest/bench HTTP/1.1\r\nHost: g\r\n${place}\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${largeBytes}`,
    body: `{"note":"${'n'.repeat(1_000)}`,
    clients: 250,
  },
}

await other.run({ ...load, seconds: warmUpSeconds })
for (const [name, variant] of Object.entries(variants)) {
  if (values.only === undefined || name.includes(values.only)) await compare(name, variant)
}

/** Alternates, so that other load on the machine affects both alike. */
async function compare(name: string, variant: Variant): Promise<void> {
  const without: OtherRun[] = []
  const beside: Beside[] = []
  for (let round = 0; round < Number(values.rounds); round++) {
    without.push(await other.run(load))
    beside.push(await runBeside(variant))
  }
  const last = beside.at(-1)
  if (last === undefined) throw new Error('nothing was measured')
  const runs = beside.map(({ run }) => run)
  const refused = runs.reduce((sum, run) => sum + run.refused, 0)
  printRows(`${count.toLocaleString('en')} slow connections: ${name}`, [
    { measure: 'others without them: p50, p99', value: latenciesOf(without) },
    { measure: 'others beside them: p50, p99', value: latenciesOf(runs) },
    {
      measure: 'p99, of that without: medians',
      value: `${(medianP99(runs) / medianP99(without)).toFixed(2)}×`,
      target: '< 2×',
    },
    {
      measure: 'refused of the others',
      value: `${refused} of ${runs.reduce((sum, run) => sum + run.sent, 0)}`,
    },
    { measure: 'slow connections open in the end', value: String(last.report.open) },
    { measure: 'ended by the gateway, and opened again', value: endedOf(last.report) },
    ...cpuRows(last.used),
  ])
}

type Beside = Awaited<ReturnType<typeof runBeside>>

async function runBeside(variant: Variant) {
  await using slow = await openSlowConnections({ ...variant, port, count })
  // Connections are accepted in order, so this answer proves that the gateway has read what all of
  // them sent.
  const isRead = () => answersOk(`${system.baseUrl}/healthz`)
  await waitUntil(isRead, { what: 'an answer behind all connections', timeoutMs: 60_000 })
  const usage = () =>
    usageOf([join(dir, 'services/run'), join(dir, 'stack/run')], { 'slow clients': slow.pid })
  const [before, own] = [usage(), process.cpuUsage()]
  const run = await other.run(load)
  const { user, system: inKernel } = process.cpuUsage(own)
  const report = await slow.report()
  return { run, report, used: { before, after: usage(), ownS: (user + inKernel) / 1e6 } }
}

/** The two cores are the limit, so the rows show who used them while both ran. */
function cpuRows({ before, after, ownS }: Beside['used']): Row[] {
  const used = Object.entries(after).map(([name, { cpuS, rssMiB }]) => ({
    name,
    cores: (cpuS - (before[name]?.cpuS ?? 0)) / seconds,
    rssMiB,
  }))
  const own = ownS / seconds
  const all = used.reduce((sum, { cores }) => sum + cores, own)
  return [
    ...used
      .filter(({ cores }) => cores >= 0.01)
      .map(({ name, cores, rssMiB }) => ({
        measure: name,
        value: `${cores.toFixed(2)} cores, ${rssMiB.toFixed(0)} MiB`,
      })),
    { measure: 'load generator', value: `${own.toFixed(2)} cores` },
    { measure: 'everything', value: `${all.toFixed(2)} cores` },
  ]
}

function latenciesOf(runs: readonly OtherRun[]): string {
  return runs
    .map(({ latency: { p50, p99 } }) => `${milliseconds(p50)}, ${milliseconds(p99)}`)
    .join('; ')
}

function medianP99(runs: readonly OtherRun[]): number {
  const sorted = runs.map(({ latency }) => latency.p99).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

function endedOf({ ended, answers }: SlowReport): string {
  const byStatus = Object.entries(answers).map(([status, times]) => `${times} with ${status}`)
  return byStatus.length === 0 ? String(ended) : `${ended}: ${byStatus.join(', ')}`
}

async function newUserToken(): Promise<string> {
  const role = { name: 'reader' }
  await project.administer('POST', '/roles', role)
  await project.call('PUT', '/_tables/bench', {
    columns: [
      { name: 'sent_at', type: 'double' },
      { name: 'status', type: 'text' },
      { name: 'note', type: 'text' },
    ],
    access: { read: ['reader'], create: ['reader'] },
  })
  await project.administer('PUT', '', { auth: { emailVerification: false, defaultRole: 'reader' } })
  await using users = openUsers(project, 1)
  const { accessToken } = await users.login(await users.signUp())
  return accessToken
}
