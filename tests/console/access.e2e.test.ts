import { expect, it } from '@jest/globals'
import { admin, expectStatus } from '@surehook/scripts/client/call'
import { createToken, type Tenant } from '@surehook/scripts/client/tenant'
import { signIn } from './support/console-world.ts'
import { useConsole } from './support/use-console.ts'

const under = useConsole((tenant) => tenant.putTable('orders', { note: 'text' }))
const { button, inDialog, goTo } = under
const may = (role: string, action: string) =>
  under.page.getByRole('checkbox', { name: `${role} may ${action}`, exact: true })
const matrix = () => under.page.getByRole('table', { name: 'What each role may do with records' })
const asJson = () =>
  under.page.getByRole('group', { name: 'View of access' }).getByRole('radio', { name: 'JSON' })
const isWithinPage = () =>
  under.page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth')

const stored = async () => {
  const { body } = expectStatus(200, await under.tenant.rest('GET _tables/orders'))
  return body['access']
}

const createRole = (name: string) =>
  admin(under.console.world.system, `POST /${under.tenant.projectId}/environments/master/roles`, {
    name,
  })

it.each([1440, 360])(
  'gives roles access in a matrix, and makes a role there, at %i px',
  async (width) => {
    expectStatus(201, await createRole('clerk'))
    expectStatus(
      201,
      await createRole('a-role-with-a-long-name-which-needs-some-lines-to-be-shown'),
    )
    await signIn(under.page, under.tenant, { stay: true })
    await under.page.setViewportSize({ width, height: 800 })
    await goTo('tables/orders/define')
    await may('clerk', 'read').check()
    await button('New role').click()
    await under.page.getByRole('dialog').getByLabel('New role').fill('not a role')
    await inDialog('Create the role').click()
    await under.page
      .getByRole('dialog')
      .getByText(/1 to 64 letters/)
      .waitFor()
    await under.page.getByRole('dialog').getByLabel('New role').fill('manager')
    await inDialog('Create the role').click()
    await under.page.getByRole('dialog').waitFor({ state: 'detached' })
    for (const action of ['read', 'update', 'delete']) await may('manager', action).check()
    await may('manager', 'delete').uncheck()
    await under.page.getByRole('columnheader', { name: 'Update' }).waitFor()
    await under.page.getByRole('rowheader', { name: 'manager' }).waitFor()
    expect(await isWithinPage()).toBe(true)
    await button('Save the table').click()
    await under.page.getByText('No records yet').waitFor()
    expect(await stored()).toEqual({
      ...{ read: ['clerk', 'manager'], create: [], update: ['manager'], delete: [] },
    })

    await under.page.getByRole('tab', { name: 'Access' }).click()
    await matrix().getByRole('row').filter({ hasText: 'manager' }).getByText('yes').nth(1).waitFor()
    await under.page.getByRole('link', { name: 'Change the access' }).click()
    await may('manager', 'update').waitFor()
    expect(await may('manager', 'update').isChecked()).toBe(true)
    await asJson().check()
    const json = under.page.getByRole('textbox', { name: 'Access', exact: true })
    await json.getByText('"manager"').first().waitFor()
    await json.fill('{ "read": ["clerk"], "create": [], "update": [], "delete": ["clerk"] }')
    await under.page
      .getByRole('group', { name: 'View of access' })
      .getByRole('radio', { name: 'Form' })
      .check()
    expect(await may('clerk', 'delete').isChecked()).toBe(true)
    await button('Save the table').click()
    await under.page.getByText('No records yet').waitFor()
    expect(await stored()).toEqual({ read: ['clerk'], create: [], update: [], delete: ['clerk'] })
    expect(under.faults).toEqual([])
  },
)

it('says why a token can make no role, and keeps the access that is there', async () => {
  const access = { read: ['clerk'], create: [], update: [], delete: [] }
  const columns = [{ name: 'note', type: 'text' }]
  expectStatus(200, await under.tenant.rest('PUT _tables/orders', { columns, access }))
  const limits = { name: 'tables and records', rights: ['tables', 'records'] }
  const { token } = await createToken(under.console.world.system, under.tenant.projectId, limits)
  const { projectId, environment } = under.tenant
  await signIn(under.page, { projectId, environment, token } as Tenant, { stay: true })
  await goTo('tables/orders/define')
  await under.page.getByText('Your token lacks the right “users”').waitFor()
  expect(await button('New role').count()).toBe(0)
  await may('clerk', 'update').check()
  await button('Save the table').click()
  await under.page.getByText('No records yet').waitFor()
  expect(await stored()).toEqual({ ...access, update: ['clerk'] })
  expect(under.faults).toEqual([])
})

const dialog = () => under.page.getByRole('dialog')
const some = (role: string, action: string) =>
  button(new RegExp(`^some\\s*: ${role} may ${action}$`))

it.each([1440, 390])(
  'gives users their own records, and a role some records and columns, at %i px',
  async (width) => {
    expectStatus(201, await createRole('clerk'))
    await signIn(under.page, under.tenant, { stay: true })
    await under.page.setViewportSize({ width, height: 800 })
    await goTo('tables/orders/define')
    await button('Each user their own records').click()
    await some('every user', 'delete').waitFor()
    await button('Add a rule').click()
    await dialog().getByLabel('Role', { exact: true }).selectOption('clerk')
    await dialog().getByRole('button', { name: 'Add a condition' }).click()
    await dialog().getByRole('combobox', { name: 'Column' }).selectOption('note')
    await dialog().getByRole('textbox', { name: 'Value' }).fill('$usr.id')
    await dialog().getByRole('checkbox', { name: /^All/ }).uncheck()
    await dialog().getByRole('checkbox', { name: 'owner_id' }).uncheck()
    expect(await isWithinPage()).toBe(true)
    await inDialog('Apply the rule').click()
    await dialog().waitFor({ state: 'detached' })
    expect(await isWithinPage()).toBe(true)

    await button('Save the table').click()
    const refused = /must be "\$user\.id"/
    await under.page.getByRole('list', { name: 'Rules' }).getByText(refused).waitFor()
    await some('clerk', 'read').click()
    const condition = dialog().getByRole('group', { name: 'Condition 1' })
    await condition.getByText(refused).waitFor()
    await condition.getByRole('textbox', { name: 'Value' }).fill('$user.id')
    await inDialog('Apply the rule').click()
    await button('Save the table').click()
    await under.page.getByText('No records yet').waitFor()
    const own = { owner_id: '$user.id' }
    expect(await stored()).toEqual({
      read: [
        { role: '*', where: own },
        { role: 'clerk', where: { note: '$user.id' }, columns: ['note'] },
      ],
      create: [{ role: '*', set: own }],
      update: [{ role: '*', where: own, set: own }],
      delete: [{ role: '*', where: own }],
    })

    await under.page.getByRole('tab', { name: 'Access' }).click()
    await under.page.getByText('every user may delete records with').waitFor()
    expect(await isWithinPage()).toBe(true)
    expect(under.faults).toEqual([])
  },
)
