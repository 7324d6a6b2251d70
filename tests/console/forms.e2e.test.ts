import { expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import { signIn } from './support/console-world.ts'
import { useConsole } from './support/use-console.ts'

const under = useConsole()
const { button, link, heading } = under

it('says that an address is private, and saves a policy from its form', async () => {
  await under.tenant.putTable('orders')
  await signIn(under.page, under.tenant)
  await link('Webhooks').click()
  await link('New webhook').first().click()
  await under.page.getByLabel('Table').fill('orders')
  await under.page.getByLabel('URL').fill('https://10.0.0.1/hooks')
  const notice = under.page.getByText('10.0.0.1 is a private address.')
  await notice.waitFor()
  await under.page.getByLabel('URL').fill('https://example.com/hooks')
  await notice.waitFor({ state: 'detached' })

  await under.page.getByText('Fields, delivery policy and key').click()
  await under.page.getByLabel('Retries').selectOption('own')
  await under.page.getByLabel('Delay before retry 1').selectOption('5m')
  await button('Add a retry').click()
  await under.page.getByLabel('Delay before retry 2').selectOption('2h')
  await under.page.getByLabel('Attempts at once').fill('4')
  await under.page.getByLabel('Attempts per second').fill('0.5')
  await under.page.getByLabel(/one after the other/).check()
  await button('Add a header').click()
  await under.page.getByLabel('Name of header 1').fill('X-Key')
  await under.page.getByLabel('Value of header 1').fill('secret')
  await button('Create the webhook').click()
  await heading('https://example.com/hooks').waitFor()
  const { body } = expectStatus(200, await under.tenant.webhooks<{ webhooks: object[] }>('GET'))
  expect(body.webhooks).toMatchObject([
    {
      policy: {
        retryDelays: ['5m', '2h'],
        ...{ concurrency: 4, rateLimit: { perSecond: 0.5 }, ordered: 'record' },
        headerNames: ['X-Key'],
      },
    },
  ])
  expect(under.faults).toEqual([])
})

it('leaves a policy to the JSON that the form cannot show', async () => {
  await signIn(under.page, under.tenant)
  await link('Webhooks').click()
  await link('New webhook').first().click()
  await under.page.getByText('Fields, delivery policy and key').click()
  const views = under.page.getByRole('group', { name: 'View of delivery policy' })
  await views.getByRole('radio', { name: 'JSON' }).check()
  const editor = under.page.getByRole('textbox', { name: 'Delivery policy' })
  await editor.fill('{ "retryDelays": "never" }')
  await under.page.waitForFunction('document.querySelector("input[value=form]:disabled") !== null')
  await editor.fill('{ "concurrency": 4 }')
  await views.getByRole('radio', { name: 'Form' }).check()
  expect(await under.page.getByLabel('Attempts at once').inputValue()).toBe('4')
  expect(under.faults).toEqual([])
})

it('lists the newest record first, and the definition in tabs', async () => {
  await under.tenant.putTable('orders')
  await under.tenant.insert({ note: 'older' })
  await under.tenant.insert({ note: 'newer' })
  await signIn(under.page, under.tenant)
  await link('Tables').click()
  await link('orders').click()
  const rows = under.page.getByRole('region', { name: 'Records of orders' }).getByRole('row')
  await rows.nth(1).getByText('newer').waitFor()
  await under.page.getByRole('tab', { name: 'Records' }).focus()
  await under.page.keyboard.press('ArrowRight')
  await under.page.getByRole('cell', { name: 'integer' }).waitFor()
  await under.page.keyboard.press('ArrowRight')
  await heading('orders').waitFor()
  await under.page.getByText('Access of users, by role').waitFor()
  expect(under.page.url()).toContain('tab=access')
  expect(under.faults).toEqual([])
})
