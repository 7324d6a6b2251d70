import { openUsers } from '../auth/users.ts'
import { concurrency, measure, printMeasured } from '../measure/measured.ts'
import { createProject } from '../platform/platform.ts'
import { columns, type DataBench, fillTable, giveRecords, table } from './many-records.ts'

const records = 100
const path = `/${table}?limit=20`

/** What a rule costs: the same list of a user's records by a rule, and by a filter. */
export async function rules(bench: DataBench): Promise<void> {
  const project = await createProject(bench.system, { emailVerification: false })
  await using users = openUsers(project, concurrency)
  const { accessToken } = await users.login(await users.signUp())
  const sub = userIdOf(accessToken)
  await fillTable(project, bench.rows)
  await project.call('PUT', `/_tables/${table}`, { columns, access: 'owner' })
  const every = Math.floor(bench.rows / records)
  await giveRecords(
    project,
    sub,
    Array.from({ length: records }, (_, n) => n * every),
  )
  const list = (query: string) => measure(bench, () => users.get(path + query, accessToken))
  const print = async (how: string, query: string) => {
    const what = `lists of 20 of a user's ${records} records among ${bench.rows.toLocaleString('en')}, ${how}`
    printMeasured(what, await list(query), { mine: 'data-api' })
  }
  // PostgreSQL still writes what was filled in.
  await list('')
  await print('by a rule', '')
  const owned = [...columns, { name: 'owner_id', type: 'uuid' }]
  await project.call('PUT', `/_tables/${table}`, { columns: owned, access: { read: ['*'] } })
  await print('by a filter', `&where=${encodeURIComponent(JSON.stringify({ owner_id: sub }))}`)
  await project.call('DELETE', `/_tables/${table}`)
}

function userIdOf(accessToken: string): string {
  const [, claims = ''] = accessToken.split('.')
  const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sub: string }
  return sub
}
