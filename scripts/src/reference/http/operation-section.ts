import { errorMeanings } from '@surehook/contracts/openapi/error-meanings'
import type { ErrorCode } from '@surehook/contracts/problem'
import { code, fence, paragraph, readableJson, sentence, table } from '../markdown.ts'
import { curlOf, headerName } from './curl.ts'
import { fieldRows } from './field-rows.ts'
import type { OpenApiDocument, OperationObject, Parameter, Schema } from './openapi-document.ts'
import { limitsOf, nullable, typeOf } from './schema-words.ts'

export type ListedOperation = { method: string; path: string; operation: OperationObject }

/** Error codes of all operations, which the overview describes. */
const commonCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
])

const credentials: Readonly<Record<string, string>> = {
  admin: 'the administration token',
  management: 'a management token',
  user: "a user's access token",
}

/** Describes one operation: its address, who may call it, its input and its output. */
export function operationSection(
  document: OpenApiDocument,
  { method, path, operation }: ListedOperation,
): string[] {
  const base = document.servers[0]?.url.replace(/\/$/, '') ?? ''
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
    ...errorsOf(operation),
  ]
}

function credentialOf({ security, 'x-management-right': right }: OperationObject): string {
  const names = security.flatMap(Object.keys).map((name) => {
    const known = credentials[name] ?? name
    return name === 'management' && right !== undefined
      ? `${known} with the right ${code(right)}`
      : known
  })
  return names.length === 0 ? 'none' : names.join(' or ')
}

export function parameterRow(document: OpenApiDocument, parameter: Parameter): string[] {
  const { schema, description } = parameter
  const name = parameter.in === 'header' ? headerName(parameter.name) : parameter.name
  const meaning = description ?? nullable(document, schema).schema.description ?? ''
  return [
    `${code(name)} (${parameter.in})`,
    typeOf(document, schema),
    limitsOf(document, schema, parameter.required === true),
    sentence(meaning),
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
    // The fields of a list of what another media type has alone are those.
    const isKnown = !isJson && schema.items !== undefined
    return [`${name}: ${typeOf(document, schema)}.`, '', ...(isKnown ? [] : fields)]
  })
}

/** Returns the fields of one item if the schema allows one or many. */
function bodyRows(document: OpenApiDocument, schema: Schema) {
  const [one] = schema.anyOf ?? []
  return fieldRows(document, one ?? schema)
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

function errorsOf({ responses }: OperationObject): string[] {
  const rows = Object.entries(responses)
    .filter(([status]) => /^[45]\d\d$/.test(status))
    .flatMap(([status, { description }]) =>
      description
        .split(', ')
        .filter((name) => !commonCodes.has(name))
        .map((name) => [status, code(name), errorMeanings[name as ErrorCode]]),
    )
  return table(['error', 'code', 'meaning'], rows)
}
