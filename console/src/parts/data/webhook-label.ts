import type { Subscription } from '@surehook/client'

/** Names a webhook in lists and choices. Every URL begins with `https://`. */
export const webhookLabel = ({ url }: Pick<Subscription, 'url'>): string =>
  url.replace(/^https:\/\//, '')

/** The label of the webhook with that id. A deleted webhook has only the id. */
export function labelOf(
  id: string,
  webhooks: readonly Pick<Subscription, 'id' | 'url'>[] | undefined,
): string {
  const found = webhooks?.find((webhook) => webhook.id === id)
  return found === undefined ? id : webhookLabel(found)
}
