import type { AlertedWebhook, WebhookAlert } from '@surehook/contracts/events/webhook-alert'

export type AlertText = {
  /** One line. */
  title: string
  webhooks: { name: string; id: string; link: string; facts: string }[]
  /** About webhooks that are not listed. */
  more: string | null
}

/** Says in words what an alert tells. Names are one line of text, and not yet escaped. */
export function alertText(alert: WebhookAlert, publicUrl: string): AlertText {
  const { projectId, environment, webhooks, more } = alert
  const recovered = webhooks.filter((one) => one.recovered).length
  const deactivated = webhooks.filter((one) => one.deactivated !== null).length
  const failing = webhooks.length - recovered - deactivated
  const counts = [
    ...(webhooks.length === 0 ? ['test alert'] : []),
    ...(failing === 0 ? [] : [`${counted(failing, 'webhook')} failing`]),
    ...(deactivated === 0 ? [] : [`${counted(deactivated, 'webhook')} deactivated`]),
    ...(recovered === 0 ? [] : [`${counted(recovered, 'webhook')} recovered`]),
  ]
  const search = new URLSearchParams({ project: projectId, environment }).toString()
  return {
    title: `${projectId}/${environment}: ${counts.join(', ')}`,
    webhooks: webhooks.map((webhook) => ({
      name: oneLine(webhook.name ?? 'Webhook'),
      id: webhook.webhookId,
      link: `${publicUrl}/console/webhooks/${encodeURIComponent(webhook.webhookId)}?${search}`,
      facts: factsOf(webhook),
    })),
    more: more === 0 ? null : counted(more, 'more webhook'),
  }
}

function factsOf(webhook: AlertedWebhook): string {
  const { circuitOpened, deadLetters, paused } = webhook
  const facts = [
    ...(circuitOpened ? ['circuit opened'] : []),
    ...(deadLetters === 0 ? [] : [counted(deadLetters, 'dead letter')]),
    ...(paused === 0 ? [] : [`${counted(paused, 'delivery', 'deliveries')} paused`]),
  ]
  return [stateOf(webhook), ...facts].join('; ')
}

function stateOf({ recovered, since, deactivated }: AlertedWebhook): string {
  if (deactivated !== null) return `deactivated. ${deactivated}`
  return recovered ? `recovered, had failed since ${since}` : `failing since ${since}`
}

/** webhook-api counts no further. */
const mostCounted = 1_000

const counted = (count: number, one: string, many = `${one}s`) =>
  `${count}${count === mostCounted ? '+' : ''} ${count === 1 ? one : many}`

const longestName = 100

// oxlint-disable-next-line no-control-regex -- control characters are the point
const breaks = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\s]+/g

function oneLine(name: string): string {
  const line = name.replace(breaks, ' ').trim()
  return line.length <= longestName ? line : `${line.slice(0, longestName).toWellFormed()}…`
}
