import type { NewWebhook } from '@surehook/client'

export const environment = 'master'
/** The changes of the table that a demo subscribes to. */
export const events: NewWebhook['events'] = ['INSERT', 'UPDATE', 'DELETE']
/** The columns of the table `orders`, as on the pages of the docs. */
export const columns = [
  { name: 'customer', type: 'text' },
  { name: 'status', type: 'text' },
  { name: 'total', type: 'decimal' },
] as const
