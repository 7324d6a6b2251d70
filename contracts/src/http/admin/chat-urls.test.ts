import { expect, it } from '@jest/globals'
import { chatKindOf, isShownChatUrl, shownChatUrl } from './chat-urls.ts'

it.each([
  ['https://hooks.slack.com/services/T0/B0/abc', 'slack'],
  ['https://discord.com/api/webhooks/1/abc', 'discord'],
  ['https://ptb.discord.com/api/webhooks/1/abc', 'discord'],
  ['https://prod-1.westeurope.logic.azure.com:443/workflows/abc', 'teams'],
  ['https://shop.webhook.office.com/webhookb2/abc', 'teams'],
  ['https://notdiscord.com/', 'slack'],
  ['https://chat.shop.example/hooks/abc', 'slack'],
])('%s is of %s', (url, kind) => expect(chatKindOf(url)).toBe(kind))

it.each([
  [
    'https://hooks.slack.com/services/T00000000/B00000000/abcdWXYZ',
    'https://hooks.slack.com/…WXYZ',
  ],
  ['https://chat.example:8443/hook?key=0123456789abcdef', 'https://chat.example:8443/…cdef'],
  ['https://chat.example/short', 'https://chat.example/…'],
])('%s is shown as %s', (url, shown) => {
  expect(shownChatUrl(url)).toBe(shown)
  expect([isShownChatUrl(shown), isShownChatUrl(url)]).toEqual([true, false])
})
