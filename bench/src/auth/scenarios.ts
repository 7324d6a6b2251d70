import { randomInt } from 'node:crypto'
import type { RunningSystem } from '@surehook/scripts/lib/running-system'
import { type BenchProject, createProject } from '../platform.ts'
import { type Usage, usageOf } from '../processes.ts'
import { costRows, milliseconds, perSecond, printRows, type Row } from '../report.ts'
import { type FlatOut, flatOut } from './flat-out.ts'
import { openManyUsers } from './many-users.ts'
import { demandTrust, newEmail, openUsers, password, type Tokens, type Users } from './users.ts'

export type AuthBench = { system: RunningSystem; seconds: number; runDirs: readonly string[] }

const concurrency = 16
const warmUpS = 2
const targets = {
  logins: '35/s per core',
  refreshes: '800/s per core',
  verified: '4,000/s per core',
} as const
/** Addresses are verified by mail elsewhere; `npm start` would show each of these mails. */
const trusting = { emailVerification: false }

/** Scenarios of `npm run bench` about users and their tokens. */
export function authScenarios(bench: AuthBench): Record<string, () => Promise<void>> {
  return {
    logins: () => logins(bench),
    signups: () => signups(bench),
    refreshes: () => refreshes(bench),
    verified: () => verified(bench),
    scaling: () => scaling(bench),
  }
}

async function logins(bench: AuthBench): Promise<void> {
  const project = await createProject(bench.system, trusting)
  await using users = await openBelievedUsers(project)
  const emails = await times(concurrency, () => users.signUp())
  const run = await measure(
    bench,
    loginOf(users, (worker) => emails[worker] ?? ''),
  )
  print('logins', run, { mine: 'auth-service', target: targets.logins })
}

async function signups(bench: AuthBench): Promise<void> {
  const project = await createProject(bench.system, trusting)
  await using users = await openBelievedUsers(project)
  const signup = () => users.post('signup', { email: newEmail(), password })
  const run = await measure(bench, async () => (await signup()).status)
  print('signups', run, { mine: 'auth-service' })
}

async function refreshes(bench: AuthBench): Promise<void> {
  const project = await createProject(bench.system, trusting)
  await using users = await openBelievedUsers(project)
  const run = await measure(bench, refreshOf(users, await newSessions(users)))
  print('refreshes', run, { mine: 'auth-service', target: targets.refreshes })
}

async function verified(bench: AuthBench): Promise<void> {
  const project = await createProject(bench.system, trusting)
  await using users = await openBelievedUsers(project)
  await project.administer('POST', '/roles', { name: 'reader' })
  await project.administer('PUT', '', { auth: { defaultRole: 'reader' } })
  const columns = [{ name: 'note', type: 'text' }]
  await project.call('PUT', '/_tables/bench', { columns, access: { read: ['reader'] } })
  const { id } = await project.call('POST', '/bench', { note: 'n' })
  const emails = await times(concurrency, () => users.signUp())
  const readWith = (tokens: readonly string[]) => (worker: number) =>
    users.get(`/bench/${String(id)}`, tokens[worker] ?? '')
  const tokensOf = async () => {
    const [...left] = emails
    return times(concurrency, async () => (await users.login(left.pop() ?? '')).accessToken)
  }

  const signed = await tokensOf()
  await project.administer('PUT', '', { auth: { encryptTokens: true } })
  const encrypted = await tokensOf()
  const management = project.headers['authorization']?.replace('Bearer ', '') ?? ''
  for (const [what, tokens] of [
    ['JWS', signed],
    ['JWE', encrypted],
    ['a management token, to compare', Array<string>(concurrency).fill(management)],
  ] as const) {
    const run = await measure(bench, readWith(tokens))
    print(`reads of a record with ${what}`, run, { mine: 'data-api', target: targets.verified })
  }
}

async function scaling(bench: AuthBench): Promise<void> {
  const project = await createProject(bench.system, trusting)
  await using users = await openBelievedUsers(project)
  const model = await users.signUp()
  const { projectId } = project
  await using many = await openManyUsers(bench.system.databaseUrl, { projectId, model })
  const costs = []
  for (const count of [10_000, 1_000_000]) {
    await many.fillTo(count)
    const anybody = () => many.emailOf(randomInt(count))
    const sessions = await times(concurrency, () => users.login(anybody()))
    const refresh = await measure(bench, refreshOf(users, sessions))
    const title = `${count.toLocaleString('en')} users`
    print(`refreshes among ${title}`, refresh, { mine: 'auth-service' })
    const login = await measure(bench, loginOf(users, anybody))
    print(`logins among ${title}`, login, { mine: 'auth-service' })
    costs.push({ refresh: cpuOf(refresh), login: cpuOf(login) })
  }
  const [few, all] = costs
  if (few === undefined || all === undefined) return
  const ratio = (name: 'refresh' | 'login'): Row => ({
    measure: name,
    value: `${(all[name] / few[name]).toFixed(2)}×`,
    target: 'at most 1.5×',
  })
  printRows(
    'CPU of auth-service and postgres at 1,000,000 users, as a multiple of that at 10,000',
    [ratio('refresh'), ratio('login')],
  )
}

async function openBelievedUsers(project: BenchProject): Promise<Users> {
  const users = openUsers(project, concurrency)
  await demandTrust(users)
  return users
}

const newSessions = (users: Users): Promise<Tokens[]> =>
  times(concurrency, async () => users.login(await users.signUp()))

function loginOf(users: Users, emailOf: (worker: number) => string) {
  return async (worker: number): Promise<number> =>
    (await users.post('login', { email: emailOf(worker), password })).status
}

/** Each worker renews a session of its own. */
function refreshOf(users: Users, sessions: readonly Tokens[]) {
  const current = sessions.map(({ refreshToken }) => refreshToken)
  return async (worker: number): Promise<number> => {
    const { status, body } = await users.post('refresh-token', { refreshToken: current[worker] })
    if (status === 200) current[worker] = String(body['refreshToken'])
    return status
  }
}

type Measured = FlatOut & { before: Usage; after: Usage }

/** Connections, prepared statements and code that was never run are not what is measured. */
async function measure(
  { seconds, runDirs }: AuthBench,
  one: (worker: number) => Promise<number>,
): Promise<Measured> {
  await flatOut({ concurrency, seconds: warmUpS }, one)
  const before = usageOf(runDirs)
  const run = await flatOut({ concurrency, seconds }, one)
  return { ...run, before, after: usageOf(runDirs) }
}

function print(what: string, run: Measured, of: { mine: string; target?: string }): void {
  const { done, failed, ms, latency, before, after } = run
  printRows(`${what}, ${concurrency} at a time`, [
    { measure: 'rate', value: perSecond(done, ms) },
    { measure: 'p50', value: milliseconds(latency.p50) },
    { measure: 'p99', value: milliseconds(latency.p99) },
    { measure: 'refused', value: refusals(failed) },
    ...costRows(before, after, { count: done, ...of }),
  ])
}

function refusals(failed: FlatOut['failed']): string {
  if (failed.size === 0) return 'none'
  return Array.from(failed, ([status, count]) => `${count} with ${status}`).join(', ')
}

/** CPU-seconds for one, of those that could mind how many users there are. */
function cpuOf({ before, after, done }: Measured): number {
  const used = (name: string) => (after[name]?.cpuS ?? 0) - (before[name]?.cpuS ?? 0)
  return (used('auth-service') + used('postgres')) / done
}

/** One after the other. */
async function times<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (let n = 0; n < count; n++) made.push(await make())
  return made
}
