import { fieldRows } from '@surehook/contracts/openapi/reference/field-rows'
import {
  componentOf,
  type OpenApiDocument,
  type Schema,
} from '@surehook/contracts/openapi/reference/openapi-document'
import {
  type ListedOperation,
  operationsOf,
  titleOf,
} from '@surehook/contracts/openapi/reference/operations'
import { anErrorCode } from '@surehook/contracts/openapi/reference/schema-words'
import { paragraph, table } from '../markdown.ts'
import { hookSection } from './hook-section.ts'
import { operationSection } from './operation-section.ts'

/** Returns a page for each tag of the documents, by file name. */
export function httpPages(documents: readonly OpenApiDocument[]): Map<string, string> {
  const pages = documents.flatMap((document) =>
    document.tags.map((tag) => [`${tag.name}.md`, pageOf(document, tag)] as const),
  )
  return new Map(pages)
}

function pageOf(
  document: OpenApiDocument,
  { name, description }: OpenApiDocument['tags'][number],
): string {
  const operations = operationsOf(document, name)
  const objects = objectsOf(document, operations)
  const hooks = Object.values(document.webhooks ?? {})
    .flatMap((item) => Object.values(item))
    .filter(({ tags }) => tags.includes(name))
  return [
    `# ${titleOf(name)}`,
    '',
    ...paragraph(`${description}. [How to call the API](index.md), with all error codes.`),
    ...hooks.flatMap((operation) => hookSection(document, operation)),
    ...operations.flatMap((one) => operationSection(document, one)),
    ...(objects.length === 0 ? [] : ['## Objects', '', 'The answers hold these objects.', '']),
    ...objects.flatMap((object) => objectSection(document, object, new Set(objects))),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n')
}

/**
 * Returns the components with fields that the answers of these operations contain, directly or
 * nested.
 */
function objectsOf(document: OpenApiDocument, operations: readonly ListedOperation[]): string[] {
  const found = new Set<string>()
  const visit = (schema: Schema): void => {
    const component = componentOf(schema)
    const target = component === null ? schema : (document.components.schemas[component] ?? {})
    if (component !== null) {
      if (found.has(component)) return
      if (target.properties !== undefined) found.add(component)
    }
    const inner = [
      ...Object.values(target.properties ?? {}),
      ...(target.items ? [target.items] : []),
    ]
    const choices = [...(target.anyOf ?? []), ...(target.oneOf ?? [])]
    for (const part of [...inner, ...choices, ...(target.allOf ?? [])]) visit(part)
  }
  for (const { operation } of operations) {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const schema = Object.values(content ?? {})[0]?.schema
      if (status.startsWith('2') && schema !== undefined) visit(schema)
    }
  }
  return [...found].toSorted()
}

function objectSection(
  document: OpenApiDocument,
  name: string,
  linked: ReadonlySet<string>,
): string[] {
  const schema = document.components.schemas[name] ?? {}
  const rows = fieldRows(document, schema, { linked })
  return [
    `### ${name}`,
    '',
    ...(schema.description === undefined ? [] : paragraph(schema.description)),
    ...table(
      ['field', 'type', 'values', 'meaning'],
      rows.map(([field, type, limits, meaning]) => [field, type, valuesOf(limits), meaning]),
    ),
  ]
}

/** An answer has its required fields always. */
function valuesOf(limits: string): string {
  const linked = limits.replace(anErrorCode, 'an [error code](index.md#errors)')
  return linked.startsWith('required')
    ? linked.replace(/^required(, )?/, '')
    : `optional${linked === '' ? '' : ', '}${linked}`
}
