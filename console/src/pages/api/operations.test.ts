import { describe, expect, it } from '@jest/globals'
import type {
  OpenApiDocument,
  OperationObject,
} from '@surehook/contracts/openapi/reference/openapi-document'
import { entryOf, groupsOf, search } from './operations.ts'

const operation = (operationId: string, summary: string, more: object = {}): OperationObject => ({
  operationId,
  summary,
  description: '',
  tags: ['records'],
  security: [],
  responses: {},
  ...more,
})

const document: OpenApiDocument = {
  info: { title: '', description: '' },
  servers: [{ url: '/gw' }],
  tags: [
    { name: 'records', description: 'Rows' },
    { name: 'changes', description: 'Events' },
  ],
  paths: {
    '/rest/{table}': {
      get: operation('listRecords', 'List records'),
      post: operation('createRecords', 'Create records', { description: 'Makes an event.' }),
    },
    '/rest/_changes': { post: operation('publish', 'Publish events', { tags: ['changes'] }) },
  },
  webhooks: {
    delivery: { post: operation('receive', 'Receive a delivery', { tags: ['changes'] }) },
  },
  components: { schemas: {}, securitySchemes: {} },
}
const groups = groupsOf([document])
const idsOf = (typed: string) =>
  search(groups, typed).flatMap(({ entries }) => entries.map(({ id }) => id))

it('lists the operations by tag, and the requests of Surehook after them', () => {
  expect(groups.map(({ title, entries }) => [title, entries.map(({ id }) => id)])).toEqual([
    ['Records', ['listRecords', 'createRecords']],
    ['Changes', ['publish', 'receive']],
  ])
  expect(entryOf(groups, 'createRecords')).toMatchObject({
    method: 'POST',
    path: '/gw/rest/{table}',
  })
  expect(entryOf(groups, 'receive')).toMatchObject({ isCall: false })
  expect(entryOf(groups, 'nothing')).toBeUndefined()
})

describe('the search', () => {
  it.each([
    ['nothing', '  ', ['listRecords', 'createRecords', 'publish', 'receive']],
    ['a part of the name, in any case', 'CREATE', ['createRecords']],
    ['a method and a path', 'get /gw/rest', ['listRecords']],
    ['words in any order', 'records list', ['listRecords']],
    ['the name before the text', 'event', ['publish', 'createRecords']],
    ['a word that nobody has', 'records nowhere', []],
  ])('finds %s', (_what, typed, ids) => {
    expect(idsOf(typed)).toEqual(ids)
  })
})
