import type { SeededProject } from './seed.ts'

export type ConsolePageCase = {
  /** The name of its screenshots. */
  name: string
  /** Below `/console/`. */
  path: (seeded: SeededProject) => string
  /** A text that shows when the page has its data. */
  shows: string
  /** A request of the page stays open. */
  isLive?: true
}

/** A filter with each control of the form. */
const everyControl = {
  status: { in: ['new', 'paid'] },
  createdAt: { gte: '2026-01-01T00:00:00.000Z' },
  total: { exists: true },
  not: { or: [{ total: { gt: 1000 } }, { 'lines.sku': 5 }, { customer: null, status: 'lost' }] },
}

/** Every page of a developer. */
export const developerPages: readonly ConsolePageCase[] = [
  { name: 'overview', path: () => '', shows: 'Dead letters' },
  { name: 'webhooks', path: () => 'webhooks', shows: '/shop/paid' },
  { name: 'webhook-new', path: () => 'webhooks/new', shows: 'Create the webhook' },
  { name: 'webhook', path: ({ webhookId }) => `webhooks/${webhookId}`, shows: 'Two secrets sign' },
  {
    name: 'webhook-failing',
    path: ({ failingId }) => `webhooks/${failingId}`,
    shows: 'Dead letter',
  },
  { name: 'webhook-edit', path: ({ webhookId }) => `webhooks/${webhookId}/edit`, shows: 'match' },
  {
    name: 'replay',
    path: ({ webhookId }) => `webhooks/${webhookId}/replay`,
    shows: 'of this webhook began in this time',
  },
  { name: 'sources', path: () => 'sources', shows: 'Replication slot' },
  { name: 'deliveries', path: () => 'deliveries', shows: 'HTTP 204' },
  {
    name: 'deliveries-live',
    path: () => 'deliveries?live=on',
    shows: 'The list is live',
    isLive: true,
  },
  { name: 'deliveries-none', path: () => 'deliveries?eventId=none', shows: 'No delivery matches' },
  {
    name: 'delivery',
    path: ({ webhookId, deliveryId }) => `deliveries/${webhookId}/${deliveryId}`,
    shows: 'Attempt 1',
  },
  {
    name: 'dead-letter',
    path: ({ failingId, deadLetterId }) => `deliveries/${failingId}/${deadLetterId}`,
    shows: 'Attempt 3',
  },
  {
    name: 'delivery-planned',
    path: ({ lateId, plannedId }) => `deliveries/${lateId}/${plannedId}`,
    shows: 'Attempt 4',
  },
  { name: 'events', path: () => 'events', shows: '1 delivered', isLive: true },
  {
    name: 'event',
    path: ({ eventId }) => `events/${eventId}`,
    shows: 'The previous values come from',
  },
  { name: 'tables', path: () => 'tables', shows: 'orders' },
  { name: 'table-new', path: () => 'new-table', shows: 'Add a column' },
  { name: 'table-define', path: () => 'tables/orders/define', shows: 'Save the table' },
  { name: 'records', path: () => 'tables/orders', shows: 'Ada Lovelace' },
  {
    name: 'records-filtered',
    path: () => `tables/orders?where=${encodeURIComponent(JSON.stringify(everyControl))}`,
    shows: 'Ada Lovelace',
  },
  {
    name: 'records-none',
    path: () => 'tables/orders?where=%7B%22status%22%3A%22lost%22%7D',
    shows: 'No record matches',
  },
  { name: 'record-new', path: () => 'tables/orders/new-record', shows: 'text, required' },
  {
    name: 'record',
    path: ({ recordId }) => `tables/orders/records/${recordId}`,
    shows: 'UPDATE',
    isLive: true,
  },
  { name: 'stream', path: () => 'stream', shows: 'No change yet', isLive: true },
  { name: 'endpoints', path: () => 'endpoints', shows: 'Close the circuit now' },
  { name: 'users', path: () => 'users', shows: 'ada@example.com' },
  {
    name: 'users-none',
    path: () => 'users?email=nobody@example.com',
    shows: 'No user has this address',
  },
  { name: 'user', path: ({ userId }) => `users/${userId}`, shows: 'Failed logins locked' },
  { name: 'api', path: () => 'api', shows: 'Create records' },
  {
    name: 'api-operation',
    path: () => 'api?operation=createRecords',
    shows: 'Makes the request safe to repeat',
  },
  { name: 'graphql', path: () => 'api/graphql', shows: 'query First' },
  { name: 'not-found', path: () => 'nothing/here', shows: 'There is no such page' },
]

/** Every page of the operator. */
export const operatorPages: readonly ConsolePageCase[] = [
  { name: 'projects', path: () => 'operator', shows: 'master' },
  {
    name: 'environment',
    path: ({ tenant }) => `operator/projects/${tenant.projectId}/environments/master`,
    shows: 'Save the settings',
  },
  {
    name: 'tokens',
    path: ({ tenant }) => `operator/projects/${tenant.projectId}/tokens`,
    shows: 'Rights',
  },
  { name: 'health', path: () => 'operator/health', shows: 'Replication slots' },
  { name: 'ledger', path: () => 'operator/ledger', shows: 'Take the ledger' },
  { name: 'jobs', path: () => 'operator/jobs', shows: 'No replay runs' },
]
