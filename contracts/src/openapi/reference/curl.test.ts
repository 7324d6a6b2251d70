import { expect, it } from '@jest/globals'
import { curlOf } from './curl.ts'
import type { OperationObject } from './openapi-document.ts'

const operation: OperationObject = {
  operationId: 'listOrders',
  summary: 'List orders',
  description: '',
  tags: [],
  security: [{ management: [] }, { user: [] }],
  parameters: [
    { name: 'project', in: 'path', example: 'shop', schema: {} },
    { name: 'x-project-id', in: 'header', example: 'shop', schema: {} },
    { name: 'environment', in: 'header', schema: {} },
    { name: 'idempotency-key', in: 'header', schema: {} },
    { name: 'where', in: 'query', example: '{"a":"b"}', schema: {} },
  ],
  responses: {},
}
const request = { method: 'GET', path: '/{project}/orders', base: '/gw' }

it('sends the examples to an address that the shell knows', () => {
  expect(curlOf(operation, request)).toBe(
    [
      'curl -X GET "$BASE/gw/shop/orders?where=%7B%22a%22%3A%22b%22%7D"',
      '-H "Authorization: Bearer $MANAGEMENT_TOKEN"',
      "-H 'X-Project-Id: shop'",
    ].join(' \\\n  '),
  )
})

it('sends the given values, which the shell takes for text', () => {
  const hostile = `a'b"$(id)`
  const values = { project: hostile, 'x-project-id': hostile, environment: 'test' }
  expect(curlOf(operation, { ...request, origin: 'https://hooks.example.com', values })).toBe(
    [
      `curl -X GET "https://hooks.example.com/gw/a'b%22%24(id)/orders?where=%7B%22a%22%3A%22b%22%7D"`,
      '-H "Authorization: Bearer $MANAGEMENT_TOKEN"',
      String.raw`-H 'X-Project-Id: a'\''b"$(id)'`,
      `-H 'environment: test'`,
    ].join(' \\\n  '),
  )
})
