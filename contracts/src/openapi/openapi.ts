import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi'
import * as account from '../http/account.ts'
import * as admin from '../http/admin/admin.ts'
import * as consoleCodes from '../http/admin/console-codes.ts'
import * as adminDeletion from '../http/admin/deletion.ts'
import * as reEncrypt from '../http/admin/re-encryption.ts'
import * as userAccess from '../http/admin/user-access.ts'
import * as users from '../http/admin/users.ts'
import * as auth from '../http/auth.ts'
import * as changes from '../http/data/changes.ts'
import * as data from '../http/data/data.ts'
import * as explanation from '../http/data/explanation.ts'
import * as tables from '../http/data/tables.ts'
import * as discovery from '../http/discovery.ts'
import * as sources from '../http/sources.ts'
import * as deliveries from '../http/webhooks/deliveries.ts'
import * as endpoints from '../http/webhooks/endpoints.ts'
import * as eventList from '../http/webhooks/event-list.ts'
import * as installation from '../http/webhooks/installation.ts'
import * as webhookLedger from '../http/webhooks/ledger.ts'
import * as webhookLog from '../http/webhooks/log.ts'
import * as questions from '../http/webhooks/questions.ts'
import * as webhookRebuild from '../http/webhooks/rebuild.ts'
import * as webhookStream from '../http/webhooks/stream.ts'
import * as webhooks from '../http/webhooks/webhooks.ts'
import { credentialsOf, type Operation } from '../operation.ts'
import { deliveryObject } from './delivery-object.ts'
import { withExamples } from './examples/with-examples.ts'
import { operationObject } from './operation-object.ts'

type Api = {
  title: string
  description: string
  /** Path prefix at the gateway. */
  base: string
  operations: readonly Operation[]
  tags: Readonly<Record<string, string>>
  webhooks?: ZodOpenApiPathsObject
}

const apis = {
  admin: {
    title: 'Surehook platform administration',
    description: 'Projects, environments, management tokens and users.',
    base: '/',
    operations: [
      ...operationsOf(admin),
      ...operationsOf(adminDeletion),
      ...operationsOf(consoleCodes),
      ...operationsOf(users),
      ...operationsOf(userAccess),
      reEncrypt.reEncryptKeys,
    ],
    tags: {
      administration: 'Projects, environments, keys and management tokens',
      users: 'Users of an environment, their roles, sessions and locks',
      console: 'One-time codes that open the web console signed in',
    },
  },
  auth: {
    title: 'Surehook authentication',
    description: 'Users of a project and environment: signup, login, sessions and tokens.',
    base: '/',
    operations: [...operationsOf(auth), ...operationsOf(account), ...operationsOf(discovery)],
    tags: {
      accounts: 'Signup, login and passwords',
      'self-service': 'What users do with their own account, and public settings',
      sessions: 'Public keys, refresh and logout',
    },
  },
  data: {
    title: 'Surehook data API',
    description: 'Tables and their records. Every change of a record is a change event.',
    base: '/gw',
    operations: [
      ...operationsOf(data),
      ...operationsOf(tables),
      ...operationsOf(explanation),
      ...operationsOf(changes),
    ],
    tags: { data: 'Tables and records', changes: 'Changes that your own services publish' },
  },
  sources: {
    title: 'Surehook sources',
    description: 'PostgreSQL databases of your own, whose changes become change events.',
    base: '/gw',
    operations: operationsOf(sources),
    tags: { sources: 'Sources, their state and the SQL to run for them' },
  },
  webhooks: {
    title: 'Surehook webhooks',
    description: 'Subscriptions to changes of records, and the requests that subscribers receive.',
    base: '/gw',
    operations: [
      ...operationsOf(webhooks),
      ...operationsOf(deliveries),
      ...operationsOf(questions),
      ...operationsOf(eventList),
      ...operationsOf(endpoints),
      ...operationsOf(webhookLog),
      ...operationsOf(webhookLedger),
      ...operationsOf(webhookRebuild),
      ...operationsOf(installation),
      ...operationsOf(webhookStream),
      reEncrypt.reEncryptSecrets,
    ],
    tags: {
      webhooks: 'Subscriptions, previews, explanations, replays and the stream',
      deliveries: 'Deliveries and their history, endpoints and events',
      installation: 'Health, running jobs, the ledger and rebuilds, for the operator',
    },
    webhooks: { delivery: deliveryObject },
  },
} satisfies Record<string, Api>

export type ApiName = keyof typeof apis
export const apiNames = Object.keys(apis) as ApiName[]

/** Builds the OpenAPI 3.1 document of an API. `contracts/openapi/*.json` holds the result. */
export function openApiDocument(name: ApiName): object {
  const api: Api = apis[name]
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: api.title,
        description: api.description,
        version: '1.0.0',
        contact: { name: 'Surehook', url: 'https://github.com/surehook/surehook' },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: api.base, description: 'The gateway that this document came from' }],
      tags: Object.entries(api.tags).map(([tag, description]) => ({ name: tag, description })),
      paths: pathsOf(api.operations),
      ...(api.webhooks && { webhooks: api.webhooks }),
      components: { securitySchemes: securitySchemesOf(api.operations) },
    },
    { override: ({ jsonSchema, io }) => simplify(jsonSchema, io) },
  )
  return withExamples(document)
}

/** Finds every operation that a contract module exports, so that none can be forgotten. */
function operationsOf(module: Readonly<Record<string, unknown>>): Operation[] {
  const isOperation = (value: unknown): value is Operation =>
    typeof value === 'object' && value !== null && 'method' in value && 'reply' in value
  return Object.values(module).filter(isOperation)
}

const methodOrder = ['get', 'post', 'put', 'patch', 'delete']

function pathsOf(operations: readonly Operation[]): ZodOpenApiPathsObject {
  const byPath = Map.groupBy(operations, ({ path }) => path)
  const items = [...byPath]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, group]) => {
      const sorted = group.toSorted(
        (a, b) => methodOrder.indexOf(a.method) - methodOrder.indexOf(b.method),
      )
      return [path, Object.fromEntries(sorted.map((one) => [one.method, operationObject(one)]))]
    })
  return Object.fromEntries(items)
}

const schemes = {
  admin: { type: 'http', scheme: 'bearer', description: "The platform's administration token" },
  management: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A management token of the project. Each operation names the right that it needs, in ' +
      'OpenAPI as `x-management-right`',
  },
  user: { type: 'http', scheme: 'bearer', description: "A user's access token" },
} as const

function securitySchemesOf(operations: readonly Operation[]) {
  const used = new Set<string>(operations.flatMap(({ security }) => credentialsOf(security)))
  return Object.fromEntries(Object.entries(schemes).filter(([name]) => used.has(name)))
}

type JsonSchema = {
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  additionalProperties?: unknown
  propertyNames?: unknown
}

/** Removes keywords that do not help a reader, and allows replies to gain fields. */
function simplify(schema: JsonSchema, io: 'input' | 'output'): void {
  if (schema.format !== undefined) delete schema.pattern
  delete schema.propertyNames
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties
}
