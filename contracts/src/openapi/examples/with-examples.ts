import { adminExamples } from './admin.ts'
import { authExamples } from './auth.ts'
import { dataExamples } from './data.ts'
import { deliveryExamples } from './deliveries.ts'
import { installationExamples } from './installation.ts'
import {
  type OperationExample,
  type OperationExamples,
  sharedParameters,
} from './operation-example.ts'
import { questionExamples } from './questions.ts'
import { sourceExamples } from './sources.ts'
import { userExamples } from './users.ts'
import { webhookExamples } from './webhooks.ts'

/** Examples by operation id. */
export const examples: OperationExamples = {
  ...adminExamples,
  ...authExamples,
  ...dataExamples,
  ...deliveryExamples,
  ...installationExamples,
  ...questionExamples,
  ...sourceExamples,
  ...userExamples,
  ...webhookExamples,
}

type Parameter = { name: string; required?: boolean; example?: unknown }
type Content = Record<string, { example?: unknown }>
type OperationObject = {
  operationId?: string
  parameters?: Parameter[]
  requestBody?: { content?: Content }
  responses: Record<string, { content?: Content }>
}
type Document = { paths?: Record<string, Record<string, OperationObject>> }

/** Returns a copy of an OpenAPI document with examples in its operations. */
export function withExamples(document: object): object {
  const copy = structuredClone(document) as Document
  for (const item of Object.values(copy.paths ?? {})) Object.values(item).forEach(addTo)
  return copy
}

function addTo({ operationId = '', parameters = [], requestBody, responses }: OperationObject) {
  const example = examples[operationId] ?? {}
  for (const parameter of parameters) addValue(parameter, example)
  const bodies = { 'application/json': example.body, ...example.bodies }
  for (const [type, body] of Object.entries(bodies)) {
    const media = requestBody?.content?.[type]
    if (media !== undefined && body !== undefined) media.example = body
  }
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  fill(success?.content, example.reply, example.replyAs)
}

function addValue(parameter: Parameter, { parameters = {} }: OperationExample): void {
  const { name, required = false } = parameter
  const value = parameters[name] ?? (required ? sharedParameters[name] : undefined)
  if (value !== undefined) parameter.example = value
}

function fill(
  content: Content = {},
  example: unknown,
  byType: Readonly<Record<string, unknown>> = {},
): void {
  if (example === undefined) return
  for (const [type, media] of Object.entries(content)) media.example = byType[type] ?? example
}
