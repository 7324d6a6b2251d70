import type { Subscription } from '@surehook/client'

type Labelled = Pick<Subscription, 'name' | 'key' | 'url'>

/** What people call a webhook: its name, its key or its URL. Every URL begins with `https://`. */
export const webhookLabel = ({ name, key, url }: Labelled): string => name ?? key ?? shortUrl(url)

export const shortUrl = (url: string): string => url.replace(/^https:\/\//, '')

/** The label of the webhook with that id. A deleted webhook has only the id. */
export function labelOf(
  id: string,
  webhooks: readonly (Labelled & Pick<Subscription, 'id'>)[] | undefined,
): string {
  const found = webhooks?.find((webhook) => webhook.id === id)
  return found === undefined ? id : webhookLabel(found)
}
