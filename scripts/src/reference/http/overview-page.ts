import { errorMeanings } from '@surehook/contracts/openapi/error-meanings'
import { tokenVariables } from '@surehook/contracts/openapi/reference/curl'
import { fieldRows } from '@surehook/contracts/openapi/reference/field-rows'
import type { OpenApiDocument } from '@surehook/contracts/openapi/reference/openapi-document'
import { baseOf, operationsOf, titleOf } from '@surehook/contracts/openapi/reference/operations'
import { type ErrorCode, httpStatusByCode } from '@surehook/contracts/problem'
import { code, fence, paragraph, readableJson, sentence, table } from '../markdown.ts'

/** Describes the common rules of all operations, and links to each. */
export function overviewPage(documents: Readonly<Record<string, OpenApiDocument>>): string {
  const all = Object.values(documents)
  return [
    '# The HTTP API',
    '',
    'This page shows how to call the API and lists every operation for clients.',
    '',
    '## Call an operation',
    '',
    ...paragraph(
      'Send every request to the gateway. The examples read its address and your credentials from variables:',
    ),
    ...fence('bash', variables(all)),
    ...table(['variable', 'credential'], credentialRows(all)),
    ...paragraph(
      'Where an operation takes the headers `X-Project-Id` and `environment`, they name the project ' +
        'and its environment. Without `environment`, the data API and `/auth` use `master`. The ' +
        'webhook API (`_webhooks`, `_deliveries`, `_events`, `_endpoints`, `_stream`) requires it.',
    ),
    ...paragraph(
      'Requests and answers are JSON. A request with an unknown field is refused. Answers may ' +
        'get new fields: ignore the fields that you do not know.',
    ),
    ...paragraph(
      'Every answer has an `X-Request-Id`. Send your own to find a request in the logs of all services. ' +
        'The data API and the webhook API have [rate limits](../request-limits.md). ' +
        'Beyond them you get 429 with `Retry-After`.',
    ),
    '## Operations',
    '',
    ...all.flatMap((document) => document.tags.flatMap((tag) => tagSection(document, tag))),
    ...paragraph(
      'Your services may also [introspect tokens]' +
        '(../../guides/accept-access-tokens.md#refuse-logged-out-tokens).',
    ),
    ...paragraph(
      `The gateway serves the OpenAPI 3.1 documents behind these pages: ${Object.keys(documents)
        .map((name) => code(`/openapi/${name}.json`))
        .join(', ')}.`,
    ),
    ...errors(all),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n')
}

const variables = (documents: readonly OpenApiDocument[]) =>
  [
    'BASE=https://hooks.example.com',
    ...credentialRows(documents).map(([name]) => `${name?.slice(2, -1)}=…`),
  ].join('\n')

function credentialRows(documents: readonly OpenApiDocument[]): string[][] {
  const schemes = Object.assign(
    {},
    ...documents.map(({ components }) => components.securitySchemes),
  ) as OpenApiDocument['components']['securitySchemes']
  return Object.entries(schemes).map(([name, { description }]) => [
    code(`$${tokenVariables[name]}`),
    `${description}.`,
  ])
}

function tagSection(
  document: OpenApiDocument,
  { name, description }: OpenApiDocument['tags'][number],
): string[] {
  const base = baseOf(document)
  const rows = operationsOf(document, name).map(({ method, path, operation }) => [
    `[${operation.summary}](${name}.md#${slugOf(operation.summary)})`,
    code(`${method.toUpperCase()} ${base}${path}`),
  ])
  return [
    `### ${titleOf(name)}`,
    '',
    ...paragraph(sentence(description)),
    ...table(['operation', 'address'], rows),
  ]
}

const slugOf = (heading: string) => heading.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

function errors([document]: readonly OpenApiDocument[]): string[] {
  if (document === undefined) return []
  const problem = document.components.schemas['Problem'] ?? {}
  const rows = Object.entries(httpStatusByCode).map(([name, status]) => [
    `${status}`,
    code(name),
    errorMeanings[name as ErrorCode],
  ])
  return [
    '## Errors',
    '',
    ...paragraph(
      'A refused request gets this body. The code in `error` never changes its meaning. ' +
        'Every operation can answer `INTERNAL_ERROR` and `SERVICE_UNAVAILABLE`. ' +
        'Every operation with a body can also answer `PAYLOAD_TOO_LARGE` and `UNSUPPORTED_MEDIA_TYPE`.',
    ),
    ...fence(
      'json',
      readableJson({
        error: 'VALIDATION_ERROR',
        violations: [{ field: 'events.0', message: 'Invalid option' }],
      }),
    ),
    ...table(
      ['field', 'type', 'meaning'],
      fieldRows(document, problem)
        .filter(([field]) => field !== code('error'))
        .map(([field, type, , meaning]) => [field, type, sentence(meaning)]),
    ),
    ...table(['status', 'code', 'meaning'], rows),
  ]
}
