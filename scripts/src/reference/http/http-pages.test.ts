import { describe, expect, it } from '@jest/globals'
import type {
  OpenApiDocument,
  Schema,
} from '@surehook/contracts/openapi/reference/openapi-document'
import { limitsOf, typeOf } from '@surehook/contracts/openapi/reference/schema-words'
import { httpPages } from './http-pages.ts'

const document: OpenApiDocument = {
  info: { title: 'Things', description: 'Things.' },
  servers: [{ url: '/gw' }],
  tags: [{ name: 'things', description: 'All things' }],
  paths: {
    '/things/{id}': {
      put: {
        operationId: 'putThing',
        summary: 'Put a thing',
        description: 'Puts it.',
        tags: ['things'],
        security: [{ management: [] }],
        parameters: [
          { name: 'id', in: 'path', required: true, example: 'a', schema: { type: 'string' } },
          { name: 'x-project-id', in: 'header', example: 'shop', schema: { type: 'string' } },
          { name: 'q', in: 'query', example: 'a b', schema: { type: 'string' } },
          { name: 'not-sent', in: 'header', schema: { type: 'string' } },
        ],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                properties: {
                  parts: {
                    type: 'array',
                    items: { $ref: '#/components/schemas/Part', description: 'Each part' },
                  },
                },
                required: ['parts'],
              },
              example: { parts: [{ name: "it's" }] },
            },
          },
        },
        responses: {
          '200': {
            description: 'OK',
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/Part' },
                example: { name: 'a' },
              },
            },
          },
          '404': { description: 'NOT_FOUND' },
          '500': { description: 'INTERNAL_ERROR' },
        },
      },
    },
  },
  components: {
    schemas: {
      Part: { properties: { name: { type: 'string', maxLength: 5, description: 'A | B' } } },
    },
    securitySchemes: { management: { description: 'A management token' } },
  },
}

describe('the page of a tag', () => {
  const page = httpPages([document]).get('things.md') ?? ''

  it.each([
    ['the address', '`PUT /gw/things/{id}`'],
    ['the command', 'curl -X PUT "$BASE/gw/things/a?q=a+b" \\'],
    ['the credential', '-H "Authorization: Bearer $MANAGEMENT_TOKEN"'],
    ['a header', "-H 'X-Project-Id: shop'"],
    ['a body that the shell keeps', String.raw`-d '{ "parts": [{ "name": "it'\''s" }] }'`],
    ['fields within fields', '| `parts[].name` | text | up to 5 characters | A \\| B. |'],
    ['what a list holds', '| `parts` | array of any JSON | required | Each part. |'],
    ['the answer', '**200**: OK.'],
    ['its errors', '| 404 | `NOT_FOUND` | No such path or project. |'],
    ['the objects of answers', '### Part'],
  ])('shows %s', (_what, text) => {
    expect(page).toContain(text)
  })

  it('leaves out headers without an example and the errors of every operation', () => {
    expect(page).not.toContain("-H 'Not-Sent")
    expect(page).not.toContain('INTERNAL_ERROR')
  })
})

describe('a schema in words', () => {
  it.each<[Schema, string, string]>([
    [{ type: ['integer', 'null'], minimum: 1 }, 'integer or null', 'at least 1'],
    [{ anyOf: [{ type: ['string', 'null'] }, { type: 'null' }] }, 'text or null', ''],
    [
      { type: 'array', items: { enum: ['a', 'b'] }, minItems: 1 },
      'array of text',
      'at least 1 item, `a` `b`',
    ],
    [{ type: 'string', format: 'date-time' }, 'timestamp', ''],
    [{ default: 'x' }, 'any JSON', 'default `"x"`'],
  ])('%j is %s, %s', (schema, type, limits) => {
    expect([typeOf(document, schema), limitsOf(document, schema, false)]).toEqual([type, limits])
  })
})
