import { expect, it } from '@jest/globals'
import { labelOf, webhookLabel } from './webhook-label.ts'

const webhook = { id: 'w', url: 'https://shop.example/hooks?a=https://' }

it('names a webhook by its name, its key or its URL', () => {
  expect(webhookLabel({ ...webhook, name: 'Billing of ACME', key: 'billing' })).toBe(
    'Billing of ACME',
  )
  expect(webhookLabel({ ...webhook, key: 'billing' })).toBe('billing')
  expect(webhookLabel(webhook)).toBe('shop.example/hooks?a=https://')
})

it('names a webhook that is not listed by its id', () => {
  expect(labelOf('w', [webhook])).toBe('shop.example/hooks?a=https://')
  expect(labelOf('other', [webhook])).toBe('other')
  expect(labelOf('w', undefined)).toBe('w')
})
