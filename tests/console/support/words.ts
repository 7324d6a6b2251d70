import { hostile } from './hostile.ts'

/** What people and receivers wrote into the seeded environment. */
export type Words = {
  customers: readonly string[]
  lines: (n: number) => object
  /** The family name of the user. */
  lastName: string
  /** The body of an answer 503. */
  answer: string
  /** The path of the webhook for all changes. */
  path: string
  /** The names of the webhooks. */
  names: readonly string[]
  /** The description of each. */
  description: string
}

export const hostileWords: Words = {
  customers: ['Ada Lovelace', 'Grace Hopper', hostile[0], 'Katherine Johnson'],
  lines: (n) => ({ [hostile[2]]: hostile, sku: `A-${n}` }),
  lastName: hostile[0],
  answer: hostile.join('\n'),
  path: `/shop/all?q=${encodeURIComponent(hostile[1])}`,
  names: [...hostile.slice(0, 7), '\u202Etxt.exe'],
  description: [...hostile.slice(0, 7), '\u202Etxt.exe'].join('\n'),
}

const articles = ['Desk lamp', 'Notebook', 'Fountain pen', 'Bookshelf']

export const pleasantWords: Words = {
  customers: ['Ada Lovelace', 'Grace Hopper', 'Mary Jackson', 'Katherine Johnson'],
  lines: (n) => [{ sku: `A-${100 + n}`, article: articles[n % articles.length], quantity: 1 + n }],
  lastName: 'Lovelace',
  answer: '{ "error": "maintenance", "retryAfter": "15:00" }',
  path: '/shop/newsletter',
  names: ['Paid orders to accounting', 'Warehouse of ACME', 'Fraud check', 'Newsletter'],
  description: 'Books each order.\nQuestions: accounting@example.com',
}
