import { expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import { createToken, type Tenant } from '@surehook/scripts/client/tenant'
import { createDatabase, query } from '@surehook/testing/database'
import { signIn } from './support/console-world.ts'
import { useConsole } from './support/use-console.ts'

const under = useConsole()
const { button, link } = under

it('shows a source, the SQL that it lacks, and that it captures once that was run', async () => {
  await using shop = await createDatabase()
  await query(shop.url, 'create table purchases (id bigint primary key, state text)')
  await signIn(under.page, under.tenant)
  await link('Sources').click()
  await under.page.getByText('npx surehook sources add shop').waitFor()

  const url = `${shop.url}?sslmode=disable`
  expectStatus(200, await under.tenant.rest('PUT _sources/shop', { url }))
  const table = { source: 'shop', relation: 'public.purchases' }
  expectStatus(200, await under.tenant.rest('PUT _tables/purchases', table))
  await link('purchases').waitFor()
  await under.page.getByText('unprepared').waitFor()
  const sql = under.page.getByRole('region', { name: 'SQL for shop' })
  await sql.getByText('REPLICA IDENTITY FULL').waitFor()
  // Some statements refuse a transaction, and psql runs one after the other, too.
  for (const one of (await sql.innerText()).split('\n')) await query(shop.url, one)
  await under.page.getByText('capturing').waitFor()
  await sql.waitFor({ state: 'detached' })
  expect(await under.page.getByRole('main').innerText()).not.toContain(new URL(url).password)
  expectStatus(200, await under.tenant.rest('DELETE _sources/shop'))

  const limits = { name: 'tables only', rights: ['tables'] }
  const { token } = await createToken(under.console.world.system, under.tenant.projectId, limits)
  await button('Sign out').click()
  const { projectId, environment } = under.tenant
  await signIn(under.page, { projectId, environment, token } as Tenant)
  await link('Sources').click()
  await under.page.getByText('Your token lacks the right “sources”').waitFor()
  expect(under.faults).toEqual([])
})
