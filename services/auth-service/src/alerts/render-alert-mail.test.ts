import { expect, it } from '@jest/globals'
import type { AlertedWebhook, WebhookAlert } from '@surehook/contracts/events/webhook-alert'
import { renderAlertMail } from './render-alert-mail.ts'

const since = '2026-11-30T08:00:00.000Z'
const webhook = (change: Partial<AlertedWebhook> = {}): AlertedWebhook => ({
  ...{ webhookId: 'hook-1', name: 'Orders', recovered: false, since, circuitOpened: true },
  ...{ deadLetters: 0, paused: 1, deactivated: null, ...change },
})
const alert = (webhooks: AlertedWebhook[], more = 0): WebhookAlert => ({
  ...{ id: 'alert-1', projectId: 'shop', environment: 'live', environmentCreatedAt: since },
  ...{ at: since, webhooks, more },
})
const from = { name: 'Surehook', address: 'no-reply@example.com' }
const render = (...given: Parameters<typeof alert>) =>
  renderAlertMail(alert(...given), {
    to: 'ops@shop.example',
    from,
    publicUrl: 'https://hooks.example',
  })

it('names each webhook with what happened and a link to the console', () => {
  const recovered = webhook({ webhookId: 'hook-2', name: null, recovered: true, paused: 0 })
  const { subject, text, html } = render([webhook({ deadLetters: 2 }), recovered], 3)
  expect(subject).toBe('shop/live: 1 webhook failing, 1 webhook recovered')
  expect(text).toBe(`${subject}

Orders (hook-1): failing since ${since}; circuit opened; 2 dead letters; 1 delivery paused
https://hooks.example/console/webhooks/hook-1?project=shop&environment=live
Webhook (hook-2): recovered, had failed since ${since}; circuit opened
https://hooks.example/console/webhooks/hook-2?project=shop&environment=live
3 more webhooks
`)
  expect(html).toContain(
    '<a href="https://hooks.example/console/webhooks/hook-1?project=shop&amp;environment=live">',
  )
})

it('says why a webhook was deactivated', () => {
  const reason = `The receiver answered 410 Gone at ${since}`
  const { subject, text } = render([webhook({ circuitOpened: false, deactivated: reason })])
  expect(subject).toBe('shop/live: 1 webhook deactivated')
  expect(text).toContain(`Orders (hook-1): deactivated. ${reason}; 1 delivery paused\n`)
})

it('lets no name become markup, a line or a header', () => {
  const { subject, text, html } = render([webhook({ name: '<b>x</b>\r\nBcc: all@evil.example' })])
  expect(subject).not.toMatch(/[\r\n]|Bcc/)
  expect(text).toContain('<b>x</b> Bcc: all@evil.example (hook-1)')
  expect(html).toContain('&lt;b&gt;x&lt;/b&gt; Bcc')
  expect(html).not.toContain('<b>')
})

it('cuts a long name', () => {
  expect(render([webhook({ name: 'x'.repeat(500) })]).text).toContain(
    `${'x'.repeat(100)}… (hook-1)`,
  )
})
