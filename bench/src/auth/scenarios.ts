import { randomInt } from 'node:crypto'
import type { RunningSystem } from '@surehook/scripts/lib/running-system'
import { atRate } from '../load/at-rate.ts'
import { flatOut } from '../load/flat-out.ts'
import {
  byStatus,
  concurrency,
  type MeasuredRun,
  measure,
  printMeasured as print,
} from '../measure/measured.ts'
import { type Usage, usageOf } from '../measure/processes.ts'
import { type BenchProject, createProject } from '../platform/platform.ts'
import { milliseconds, perSecond, printRows, type Row } from '../report/report.ts'
import { openManyUsers } from './many-users.ts'
import { timeTokenChecks } from './token-checks.ts'
import { demandTrust, newEmail, openUsers, password, type Tokens, type Users } from './users.ts'

export type AuthBench = { system: RunningSystem; seconds: number; runDirs: readonly string[] }

const targets = {
  logins: '35/s per core',
  refreshes: '800/s per core',
  verified: '4,000/s per core',
} as const
/** No verification by mail, because `npm start` would show each of the mails. */
const trusting = { emailVerification: false }

/** Scenarios of `npm run bench` about users and their tokens. */
export function authScenarios(bench: AuthBench): Record<string, () => Promise<void>> {
  return {
    logins: () => logins(bench),
    signups: () => signups(bench),
    refreshes: () => refreshes(bench),
    verified: () => verified(bench),
    scaling: () => scaling(bench),
    overload: () => overload(bench),
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
  const { readWith } = await openReads(project, users)
  const emails = await times(concurrency, () => users.signUp())
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
    const run = await measure(bench, (worker) => readWith(tokens[worker] ?? ''))
    print(`reads of a record with ${what}`, run, { mine: 'data-api', target: targets.verified })
  }
}

/** Requests 16 times the logins that the machine can hash, while users read with their tokens. */
async function overload({ system, seconds, runDirs }: AuthBench): Promise<void> {
  const project = await createProject(system, trusting)
  await using users = await openBelievedUsers(project)
  await using others = openUsers(project, 2_048)
  const { path } = await openReads(project, users)
  const email = await users.signUp()
  const { accessToken: token } = await users.login(email)
  const { baseUrl } = system
  const { projectId } = project
  const checks = () => timeTokenChecks({ baseUrl, projectId, path, token, perSecond: 50, seconds })
  await checks()
  const quiet = await checks()
  const alone = await flatOut({ concurrency, seconds }, () => loginOf(users, () => email)(0))
  const before = usageOf(runDirs)
  const answers = new Map<number, number>()
  const flood = atRate({ perSecond: (16 * alone.done * 1000) / alone.ms, seconds }, async () => {
    const status = await loginOf(others, () => email)(0)
    answers.set(status, (answers.get(status) ?? 0) + 1)
  })
  const [flooded] = await Promise.all([checks(), flood])
  const memory = (usage: Usage) => `${Math.round(usage['auth-service']?.rssMiB ?? 0)} MiB`
  printRows('16 times the logins that the machine can hash, and 50 token checks/s beside them', [
    { measure: 'logins, as many as can be hashed', value: perSecond(alone.done, alone.ms) },
    { measure: 'answers to 16 times as many', value: byStatus(answers) },
    { measure: 'token checks without logins, p99', value: milliseconds(quiet.p99) },
    { measure: 'token checks, p99', value: milliseconds(flooded.p99), target: '20 ms' },
    { measure: 'auth-service before', value: memory(before) },
    { measure: 'auth-service after', value: memory(usageOf(runDirs)) },
  ])
}

/** Reads of one record by users with the default role. */
async function openReads(project: BenchProject, users: Users) {
  await project.administer('POST', '/roles', { name: 'reader' })
  await project.administer('PUT', '', { auth: { defaultRole: 'reader' } })
  const columns = [{ name: 'note', type: 'text' }]
  await project.call('PUT', '/_tables/bench', { columns, access: { read: ['reader'] } })
  const { id } = await project.call('POST', '/bench', { note: 'n' })
  const path = `/bench/${String(id)}`
  return { path, readWith: (token: string) => users.get(path, token) }
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

/** Each worker refreshes its own session. */
function refreshOf(users: Users, sessions: readonly Tokens[]) {
  const current = sessions.map(({ refreshToken }) => refreshToken)
  return async (worker: number): Promise<number> => {
    const { status, body } = await users.post('refresh-token', { refreshToken: current[worker] })
    if (status === 200) current[worker] = String(body['refreshToken'])
    return status
  }
}

/** CPU-seconds per operation of the components whose cost may depend on the number of users. */
function cpuOf({ before, after, done }: MeasuredRun): number {
  const used = (name: string) => (after[name]?.cpuS ?? 0) - (before[name]?.cpuS ?? 0)
  return (used('auth-service') + used('postgres')) / done
}

/** Makes them one after another. */
async function times<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (let n = 0; n < count; n++) made.push(await make())
  return made
}
