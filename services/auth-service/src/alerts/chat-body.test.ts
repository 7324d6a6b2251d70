import { describe, expect, it } from '@jest/globals'
import type { WebhookAlert } from '@surehook/contracts/events/webhook-alert'
import { chatKinds } from '@surehook/contracts/http/admin/chat-urls'
import { chatBody } from './chat-body.ts'

const since = '2026-11-30T08:00:00.000Z'
const alertOf = (...names: string[]): WebhookAlert => ({
  ...{ id: 'alert-1', projectId: 'shop', environment: 'live', environmentCreatedAt: since },
  ...{ at: since, more: 0 },
  webhooks: names.map((name, n) => ({
    ...{ webhookId: `hook-${n}`, name, recovered: false, since, circuitOpened: true },
    ...{ deadLetters: 0, paused: 0, deactivated: null },
  })),
})
const bodyOf = (kind: (typeof chatKinds)[number], ...names: string[]) =>
  JSON.stringify(chatBody(kind, alertOf(...names), 'https://hooks.example'))

it('is in the form of each chat', () => {
  const link = 'https://hooks.example/console/webhooks/hook-0?project=shop&environment=live'
  const facts = `failing since ${since}; circuit opened`
  expect(chatBody('slack', alertOf('Orders'), 'https://hooks.example')).toEqual({
    text: `shop/live: 1 webhook failing\nOrders (hook-0): ${facts}\n${link}`,
    mrkdwn: false,
  })
  expect(chatBody('discord', alertOf('Orders'), 'https://hooks.example')).toMatchObject({
    content: expect.stringContaining(link),
    allowed_mentions: { parse: [] },
  })
  expect(chatBody('teams', alertOf('Orders'), 'https://hooks.example')).toMatchObject({
    type: 'message',
    attachments: [
      {
        content: {
          type: 'AdaptiveCard',
          body: [
            { inlines: [{ text: 'shop/live: 1 webhook failing' }] },
            { inlines: [{ text: `Orders (hook-0): ${facts}` }] },
            { inlines: [{ selectAction: { type: 'Action.OpenUrl', url: link } }] },
          ],
        },
      },
    ],
  })
})

describe('a name', () => {
  it('mentions nobody', () => {
    for (const kind of chatKinds)
      expect(bodyOf(kind, 'x @all @everyone')).not.toMatch(/@(all|every)/)
    expect(bodyOf('slack', '<!channel> <@U1>')).not.toContain('<')
  })

  it('becomes no markup of Discord', () => {
    const { content } = chatBody(
      'discord',
      alertOf('[x](https://evil.example) **b** <@1>'),
      '',
    ) as {
      content: string
    }
    expect(content).toContain(String.raw`\[x\]\(https://evil.example\) \*\*b\*\* \<@`)
  })
})

it('leaves out the webhooks that do not fit, and says so', () => {
  const many = Array.from({ length: 50 }, () => 'x'.repeat(100))
  const { content } = chatBody('discord', alertOf(...many), 'https://hooks.example') as {
    content: string
  }
  expect(content.length).toBeLessThan(2_000)
  expect(content).toMatch(/… and \d+ webhooks more$/)
})
