import { expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import { signIn } from './support/console-world.ts'
import { importUser } from './support/seed.ts'
import { useConsole } from './support/use-console.ts'

const under = useConsole()
const { button, link } = under

it('shows the records that a user sees, and why one is hidden', async () => {
  const { tenant, page } = under
  await importUser(under.console.world, tenant, { email: 'ada@example.com' })
  const columns = [
    { name: 'title', type: 'text' },
    { name: 'team', type: 'text' },
  ]
  const access = { read: [{ role: 'clerk', where: { team: 'red' }, columns: ['title'] }] }
  expectStatus(200, await tenant.rest('PUT _tables/tasks', { columns, access }))
  const tasks = [
    { title: 'hers', team: 'red' },
    { title: 'theirs', team: 'blue' },
  ]
  expectStatus(201, await tenant.rest('POST tasks', tasks))

  await signIn(page, tenant)
  await link('Tables').first().click()
  await link('tasks').click()
  const cell = (name: string) => page.getByRole('cell', { name, exact: true })
  await cell('theirs').waitFor()
  await page.getByLabel('User').fill('nobody@example.com')
  await button('See as user').click()
  await page.getByText('No user has this address').waitFor()
  await page.getByLabel('User').fill('ada@example.com')
  await button('See as user').click()
  await page.getByText('You see what ada@example.com sees').waitFor()
  await cell('hers').waitFor()
  expect([await cell('theirs').count(), await cell('red').count()]).toEqual([0, 0])

  await page.reload()
  await signIn(page, tenant)
  await page.getByText('You see what ada@example.com sees').waitFor()
  await cell('hers').waitFor()
  await page.locator('a[title]').first().click()
  const read = page.getByRole('region', { name: 'read', exact: true })
  await read.getByText('ada@example.com may read it.').waitFor()
  await read.getByText('Without the columns team').waitFor()
  await page.goBack()

  await button('See all records').click()
  await cell('theirs').waitFor()
  await page
    .getByRole('row', { name: /theirs/ })
    .getByRole('link')
    .click()
  await page.getByLabel('User').fill('ada@example.com')
  await button('Explain').click()
  await read.getByText('ada@example.com may not read it.').waitFor()
  await read.getByText('The record does not meet where.team').waitFor()
  await read.getByText('Expected "red", and the record has "blue"').waitFor()
  expect(under.faults).toEqual([])
})
