/** The OpenAPI documents that the gateway serves beside the console. */
export const documents = [
  { name: 'data', title: 'Data API', about: 'Tables, records and changes that you publish' },
  { name: 'webhooks', title: 'Webhook API', about: 'Webhooks, deliveries, events and endpoints' },
  { name: 'auth', title: 'Authentication', about: 'Sign-up, login and sessions of users' },
  { name: 'admin', title: 'Administration', about: 'Projects, settings, tokens, roles and users' },
] as const

export type ApiDocument = (typeof documents)[number]

export const pathOf = ({ name }: Pick<ApiDocument, 'name'>): string => `/openapi/${name}.json`
