import { describe, expect, test } from '@jest/globals'
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
import { managementRights } from '../rights.ts'
import { examples } from './examples/with-examples.ts'
import { apiNames, openApiDocument } from './openapi.ts'

type DocumentedOperation = {
  operationId: string
  description: string
  parameters?: { name: string; required?: boolean; example?: unknown }[]
  security: object[]
  'x-management-right'?: string
  responses: Record<string, { description: string; headers: Record<string, unknown> }>
}
type Document = {
  paths: Record<string, Record<string, DocumentedOperation>>
  components: { schemas: Record<string, { additionalProperties?: unknown }> }
}

const documentOf = (name: (typeof apiNames)[number]) => openApiDocument(name) as Document
const shownIn = (document: Document) =>
  Object.values(document.paths).flatMap((item) => Object.values(item))

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'reply' in value && 'id' in value
const ofLog = [webhookLog, webhookLedger, webhookRebuild, webhookStream, installation]
const ofWebhooks = [webhooks, deliveries, questions, eventList, endpoints, ...ofLog]
const operations = [
  account,
  admin,
  adminDeletion,
  consoleCodes,
  auth,
  discovery,
  data,
  tables,
  explanation,
  changes,
  sources,
  users,
  userAccess,
  reEncrypt,
  ...ofWebhooks,
]
  .flatMap((module) => Object.values<unknown>(module))
  .filter(isOperation)

describe('the OpenAPI documents', () => {
  test('show every operation once', () => {
    const defined = operations.map(({ id }) => id)
    const shown = apiNames.flatMap((name) =>
      shownIn(documentOf(name)).map((one) => one.operationId),
    )
    expect(shown.toSorted()).toEqual(defined.toSorted())
    expect(new Set(shown).size).toBe(shown.length)
  })

  test('need the right of a management token that its path says', () => {
    const rightOf = {
      _tables: 'tables',
      _changes: 'records',
      _sources: 'sources',
      ':table': 'records',
      graphql: 'records',
      _webhooks: 'webhooks',
      _deliveries: 'webhooks',
      _endpoints: 'webhooks',
      _events: 'webhooks',
      _stream: 'webhooks',
      users: 'users',
      roles: 'users',
    } as Readonly<Record<string, string>>
    const below =
      /^\/(?:api\/rest|api|auth\/admin\/projects\/\{project\}\/environments\/\{environment\})\/([^/]+)/
    const faults = operations.filter(({ path, security, right }) => {
      const name = below.exec(path)?.[1]?.replace('{table}', ':table') ?? ''
      const takesToken =
        security !== 'adminOrAnyManagement' && credentialsOf(security).includes('management')
      return right !== (takesToken ? rightOf[name] : undefined)
    })
    expect(faults.map(({ id }) => id)).toEqual([])
    expect(new Set(operations.map(({ right }) => right))).toEqual(
      new Set([undefined, ...managementRights]),
    )
  })

  test('show the responses of an operation by status, and its credentials', () => {
    const created = documentOf('webhooks').paths['/api/rest/_webhooks']?.['post']
    expect(created?.security).toEqual([{ management: [] }])
    expect(created?.['x-management-right']).toBe('webhooks')
    expect(Object.keys(created?.responses ?? {})).toEqual(
      expect.arrayContaining(['201', '400', '401', '403', '404', '413', '415', '500', '503']),
    )
    expect(created?.responses['400']?.description).toBe('ENVIRONMENT_MISMATCH, VALIDATION_ERROR')
    expect(Object.keys(created?.responses['503']?.headers ?? {})).toEqual([
      'X-Request-Id',
      'RateLimit-Policy',
      'RateLimit',
      'Retry-After',
    ])
  })

  test('refuse unknown fields in requests and let replies grow', () => {
    const { schemas } = documentOf('webhooks').components
    expect(schemas['SubscriptionInput']?.additionalProperties).toBe(false)
    expect(schemas['Subscription']).not.toHaveProperty('additionalProperties')
  })

  test.each(apiNames)(
    '%s: no property refuses the fields of the schema that it refers to',
    (name) => {
      const refusing: string[] = []
      JSON.stringify(documentOf(name), (key, value: unknown) => {
        const isObject = typeof value === 'object' && value !== null
        if (isObject && '$ref' in value && 'additionalProperties' in value) refusing.push(key)
        return value
      })
      expect(refusing).toEqual([])
    },
  )
})

describe('the examples of operations', () => {
  test('belong to operations', () => {
    const known = new Set(operations.map(({ id }) => id))
    expect(Object.keys(examples).filter((id) => !known.has(id))).toEqual([])
  })

  test.each(operations.map((operation) => [operation.id, operation] as const))(
    '%s has a valid request and a valid answer',
    (id, { body, bodies = {}, reply }) => {
      const example = examples[id] ?? {}
      expect('body' in example).toBe(body !== undefined)
      expect(body?.safeParse(example.body).error).toBeUndefined()
      const all = { 'application/json': example.body, ...example.bodies }
      for (const [type, schema] of Object.entries(bodies)) {
        expect(schema.safeParse(all[type as keyof typeof all]).error).toBeUndefined()
      }
      expect('reply' in example).toBe(reply.status !== 204)
      expect(reply.schema.parse(example.reply)).toEqual(example.reply)
    },
  )

  test('have a value for each required parameter', () => {
    const missing = apiNames
      .flatMap((name) => shownIn(documentOf(name)))
      .flatMap(({ operationId, parameters = [] }) =>
        parameters
          .filter(({ required, example }) => required === true && example === undefined)
          .map(({ name }) => `${operationId}: ${name}`),
      )
    expect(missing).toEqual([])
  })
})
