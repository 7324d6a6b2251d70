import { expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import { signIn } from './support/console-world.ts'
import { hostile } from './support/hostile.ts'
import { useConsole } from './support/use-console.ts'

const under = useConsole((tenant) =>
  tenant.putTable('orders', { customer: 'text', status: 'text' }),
)
const { button, link, heading } = under
const field = (name: string) => under.page.getByRole('textbox', { name, exact: true })

it('names a webhook in lists, on its page and in its form', async () => {
  const url = under.console.world.receiver.url(`/${under.tenant.projectId}`)
  await signIn(under.page, under.tenant)
  await link('Webhooks').click()
  await link('New webhook').first().click()
  await under.page.getByLabel('Table').fill('orders')
  await under.page.getByLabel('URL').fill(url)
  await field('Name').fill('  Orders to accounting ')
  await under.page.getByLabel('Description').fill('Paid orders.\nAsk Ann.')
  await button('Create the webhook').click()
  await heading('Orders to accounting').waitFor()
  await under.page.getByText(/^Paid orders.\nAsk Ann.$/).waitFor()
  const listed = expectStatus(200, await under.tenant.webhooks('GET'))
    .body as unknown as WebhookList
  const texts = { name: 'Orders to accounting', description: 'Paid orders.\nAsk Ann.' }
  expect(listed.webhooks).toEqual([expect.objectContaining(texts)])

  await under.tenant.insert({ customer: 'Ada', status: 'paid' })
  await under.console.world.receiver.waitFor(`/${under.tenant.projectId}`, 1)
  await link('Webhooks').first().click()
  const row = under.page.getByRole('link', { name: /^Orders to accounting/ })
  await row.getByText(url.replace('https://', '')).waitFor()
  await link('Endpoints').click()
  await link('Orders to accounting').click()
  await heading('Orders to accounting').waitFor()

  await link('Edit').click()
  await field('Name').fill('')
  await under.page.getByText('Fields, delivery policy and key').click()
  await field('Key').fill('Not a key')
  await button('Save the webhook').click()
  await under.page.locator('input[name="key"][aria-invalid="true"]').waitFor()
  await field('Key').fill('accounting')
  await button('Save the webhook').click()
  await heading('accounting').waitFor()
  expect(under.faults).toEqual([])
})

it('finds a webhook by its name, key or URL', async () => {
  const url = under.console.world.receiver.url(`/${under.tenant.projectId}`)
  await under.tenant.subscribe(url, { name: 'Invoices' })
  await under.tenant.subscribe(url, { name: 'Parcels' })
  await signIn(under.page, under.tenant)
  await link('Webhooks').click()
  await link(/^Parcels/).waitFor()
  const search = under.page.getByLabel('Search webhooks')
  await search.fill('INVOI')
  await link(/^Parcels/).waitFor({ state: 'detached' })
  await link(/^Invoices/).waitFor()
  await search.fill('nothing')
  await under.page.getByText('No webhook has this in its name, key or URL').waitFor()
  await link('Show all webhooks').click()
  await link(/^Parcels/).waitFor()
  expect(under.faults).toEqual([])
})

it('runs no text of a name or a description', async () => {
  const { id } = await under.tenant.subscribe(
    under.console.world.receiver.url(`/${under.tenant.projectId}`),
  )
  await signIn(under.page, under.tenant, { stay: true })
  for (const name of acceptedNames) {
    const change = { name, description: acceptedNames.join('\n') }
    expectStatus(200, await under.tenant.webhooks(`PATCH /${id}`, change))
    await under.page.goto(`${under.console.world.system.baseUrl}/console/webhooks`)
    await under.page.getByText(name, { exact: true }).waitFor()
    await under.page.goto(`${under.console.world.system.baseUrl}/console/webhooks/${id}`)
    await heading(name).waitFor()
    await link('Edit').click()
    expect(await field('Name').inputValue()).toBe(name)
  }
  expect(await under.page.evaluate('window.hacked')).toBeUndefined()
  expect(under.faults).toEqual([])
})

type WebhookList = { webhooks: { id: string }[] }
/** A name has no control characters. */
const acceptedNames = hostile.filter((text) => !/[\p{Cc}\p{Zl}]/u.test(text))
