import { errorMeanings } from '@surehook/contracts/openapi/error-meanings'
import { curlOf } from '@surehook/contracts/openapi/reference/curl'
import { bodyRows, parameterRow } from '@surehook/contracts/openapi/reference/field-rows'
import type {
  OpenApiDocument,
  OperationObject,
} from '@surehook/contracts/openapi/reference/openapi-document'
import {
  baseOf,
  credentialOf,
  errorsOf,
  type ListedOperation,
} from '@surehook/contracts/openapi/reference/operations'
import { typeOf } from '@surehook/contracts/openapi/reference/schema-words'
import type { ErrorCode } from '@surehook/contracts/problem'
import { code, fence, paragraph, readableJson, sentence, table } from '../markdown.ts'

/** Error codes of all operations, which the overview describes. */
const commonCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
])

/** Describes one operation: its address, who may call it, its input and its output. */
export function operationSection(
  document: OpenApiDocument,
  { method, path, operation }: ListedOperation,
): string[] {
  const base = baseOf(document)
  const verb = method.toUpperCase()
  return [
    `## ${operation.summary}`,
    '',
    code(`${verb} ${base}${path}`),
    '',
    ...paragraph(operation.description),
    `Operation: ${code(operation.operationId)}. Credential: ${credentialOf(operation)}.`,
    '',
    ...table(
      ['parameter', 'type', 'limits', 'meaning'],
      (operation.parameters ?? []).map((parameter) => parameterRow(document, parameter)),
    ),
    ...bodyOf(document, operation),
    '**Example**',
    '',
    ...fence('bash', curlOf(operation, { method: verb, path, base })),
    ...successOf(operation),
    ...errorTable(operation),
  ]
}

/** The fields of the body; where it may have other media types, of each. */
function bodyOf(document: OpenApiDocument, { requestBody }: OperationObject): string[] {
  return Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) => {
    if (schema === undefined) return []
    const isJson = type === 'application/json'
    const name = isJson ? 'Body' : `Body of ${code(type)}`
    const fields = table(['body field', 'type', 'limits', 'meaning'], bodyRows(document, schema))
    const isPlain = isJson && schema.anyOf === undefined && fields.length > 0
    if (isPlain) return fields
    // The items of a list are the body of another media type, where their fields are listed.
    const isKnown = !isJson && schema.items !== undefined
    return [`${name}: ${typeOf(document, schema)}.`, '', ...(isKnown ? [] : fields)]
  })
}

function successOf({ responses }: OperationObject): string[] {
  return Object.entries(responses)
    .filter(([status]) => /^[23]/.test(status))
    .flatMap(([status, { description, content }]) => {
      const example = Object.values(content ?? {})[0]?.example
      return [
        `**${status}**: ${sentence(description)}`,
        '',
        ...(example === undefined ? [] : fence('json', readableJson(example))),
      ]
    })
}

function errorTable(operation: OperationObject): string[] {
  const rows = errorsOf(operation)
    .filter(([, name]) => !commonCodes.has(name))
    .map(([status, name]) => [status, code(name), errorMeanings[name as ErrorCode]])
  return table(['error', 'code', 'meaning'], rows)
}
