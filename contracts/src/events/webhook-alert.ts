/**
 * Topic `webhook.alerts`, key `project/environment`: what people of an environment are told about
 * its webhooks. One component decides it once, and others deliver it.
 */
export type WebhookAlert = {
  id: string
  projectId: string
  environment: string
  /** `createdAt` of the environment's state. */
  environmentCreatedAt: string | null
  /** ISO 8601. Later alerts of the environment have a later time. */
  at: string
  webhooks: AlertedWebhook[]
  /** Further webhooks, which are not listed. */
  more: number
}

export type AlertedWebhook = {
  webhookId: string
  /** As `webhookName` returns it. */
  name: string | null
  recovered: boolean
  /** When the incident began, in ISO 8601. */
  since: string
  /** Its deliveries were paused because its circuit was open. */
  circuitOpened: boolean
  /** Dead letters of the incident. */
  deadLetters: number
  /** Deliveries that wait. */
  paused: number
  /** Why Surehook deactivated it. */
  deactivated: string | null
}
