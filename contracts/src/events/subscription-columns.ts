import type { SubscriptionState } from '../events.ts'

/**
 * The column of webhook-api's table `subscription` for each field of the state. Its versions have a
 * table of their own.
 */
export const subscriptionColumns = {
  id: 'id',
  projectId: 'project_id',
  environment: 'environment',
  table: 'watched_table',
  events: 'events',
  url: 'url',
  active: 'active',
  filter: 'filter',
  select: 'selected',
  secrets: 'secrets',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  policy: 'policy',
  cancellations: 'cancellations',
  name: 'name',
  key: 'key',
  description: 'description',
} as const satisfies Record<Exclude<keyof SubscriptionState, 'versions'>, string>

/** The columns of type `jsonb`. The driver would send a list to them as a PostgreSQL array. */
const jsonColumns: readonly string[] = ['secrets', 'policy', 'cancellations']

/** The value of a query parameter for the column. */
export const columnParameter = (column: string, value: unknown): unknown =>
  value !== null && jsonColumns.includes(column) ? JSON.stringify(value) : value
