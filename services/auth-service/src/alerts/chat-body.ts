import type { WebhookAlert } from '@surehook/contracts/events/webhook-alert'
import type { ChatKind } from '@surehook/contracts/http/admin/chat-urls'
import { type AlertText, alertText } from './alert-text.ts'

/** Returns the JSON that a chat takes. No text of a user becomes markup or a mention. */
export function chatBody(kind: ChatKind, alert: WebhookAlert, publicUrl: string): object {
  const text = withoutMentions(alertText(alert, publicUrl))
  return bodies[kind](text)
}

/** Microsoft and Slack cut messages that are much longer. Discord refuses more than 2,000. */
const longest = { slack: 12_000, teams: 12_000, discord: 1_900 }

const bodies: Record<ChatKind, (text: AlertText) => object> = {
  // https://api.slack.com/reference/surfaces/formatting#escaping
  slack: (text) => ({
    text: linesOf(text, { most: longest.slack, escape: escapeSlack }).join('\n'),
    mrkdwn: false,
  }),
  // 4 suppresses the preview of links: https://discord.com/developers/docs/resources/webhook
  discord: (text) => ({
    content: linesOf(text, { most: longest.discord, escape: escapeMarkdown }).join('\n'),
    allowed_mentions: { parse: [] },
    flags: 4,
  }),
  // Runs of text have no markup: https://adaptivecards.io/explorer/TextRun.html
  teams: (text) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: linesOf(text, { most: longest.teams, escape: (line) => line }).map(cardLine),
        },
      },
    ],
  }),
}

const cardLine = (line: string) => ({
  type: 'RichTextBlock',
  inlines: [
    {
      type: 'TextRun',
      text: line,
      ...(line.startsWith('http') && { selectAction: { type: 'Action.OpenUrl', url: line } }),
    },
  ],
})

type Fit = { most: number; escape: (text: string) => string }

/** Returns as many webhooks as fit, each with its link, and how many are left out. */
function linesOf({ title, webhooks, more }: AlertText, { most, escape }: Fit): string[] {
  const lines = [escape(title)]
  let left = most - title.length
  for (const [index, { name, id, facts, link }] of webhooks.entries()) {
    const line = `${escape(name)} (${id}): ${escape(facts)}`
    left -= line.length + link.length + 2
    if (left < 0) return [...lines, `… and ${webhooks.length - index} webhooks more`]
    lines.push(line, link)
  }
  return more === null ? lines : [...lines, more]
}

/** Mattermost and others read `@all` in any text. */
const withoutMentions = (text: AlertText): AlertText => ({
  ...text,
  webhooks: text.webhooks.map((one) => ({ ...one, name: one.name.replaceAll('@', '@\u200b') })),
})

const slackEntities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escapeSlack = (text: string) => text.replace(/[&<>]/g, (sign) => slackEntities[sign] ?? sign)
const escapeMarkdown = (text: string) => text.replace(/[\\*_~`|<>#[\]()-]/g, String.raw`\$&`)
