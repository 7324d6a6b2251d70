import { fieldRows, parameterRow } from '@surehook/contracts/openapi/reference/field-rows'
import type {
  OpenApiDocument,
  OperationObject,
} from '@surehook/contracts/openapi/reference/openapi-document'
import { code, fence, paragraph, readableJson, sentence, table } from '../markdown.ts'

/** Describes a request that Surehook makes. */
export function hookSection(document: OpenApiDocument, operation: OperationObject): string[] {
  const { schema = {}, example } = operation.requestBody?.content['application/json'] ?? {}
  return [
    `## ${operation.summary}`,
    '',
    `${code('POST')} to the URL of the subscription`,
    '',
    ...paragraph(operation.description),
    ...table(
      ['header', 'type', 'limits', 'meaning'],
      (operation.parameters ?? []).map((parameter) => [
        code(parameter.name),
        ...parameterRow(document, parameter).slice(1),
      ]),
    ),
    ...table(['body field', 'type', 'limits', 'meaning'], fieldRows(document, schema)),
    ...fence('json', readableJson(example)),
    ...table(
      ['your answer', 'meaning'],
      Object.entries(operation.responses).map(([status, { description }]) => [
        status,
        sentence(description),
      ]),
    ),
  ]
}
