import type { GraphQLRequest } from '@surehook/contracts/http/graphql'
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  Kind,
} from 'graphql'
import type { OwnerName } from '../slots/fair-slots.ts'
import { LoopTurns } from '../slots/loop-turns.ts'

/** The answers that are kept of one schema: a tool always asks the same. */
const maxKept = 10

/**
 * Answers questions about the schema. One answer takes the event loop for up to 50 ms, so the
 * clients take turns. Repeated questions get a kept answer.
 */
export class Introspection {
  readonly #turns = new LoopTurns({ waiting: { all: 256, each: 32 }, maxWaitMs: 10_000 })
  /** By question, the oldest first. */
  readonly #kept = new WeakMap<GraphQLSchema, Map<string, ExecutionResult>>()

  /**
   * Does the work at once, or when it is the client's turn if the query is long, may ask for the
   * schema, or has many objects as variables.
   */
  async inTurn<T>(
    { query, variables }: Pick<GraphQLRequest, 'query' | 'variables'>,
    client: OwnerName,
    work: () => Promise<T>,
  ): Promise<T> {
    const isLong = query.length > longQuery || mayAskSchema.test(query)
    if (isLong || hasManyObjects(variables)) await this.#turns.next(client)
    return work()
  }

  execute(args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult> {
    if (!asksOnlySchema(args.document)) return execute(args)
    const { schema, document, variableValues, operationName } = args
    const kept = this.#kept.get(schema) ?? new Map<string, ExecutionResult>()
    this.#kept.set(schema, kept)
    const text = document.loc?.source.body
    const question = JSON.stringify([text, variableValues, operationName])
    const known = kept.get(question)
    if (known !== undefined) return known
    const result = execute(args)
    if (result instanceof Promise || result.errors !== undefined) return result
    kept.set(question, result)
    const [oldest] = kept.keys()
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
    return result
  }
}

/** Parsing and validating a longer query takes the event loop for milliseconds. */
const longQuery = 2_000

/** GraphQL copies each object with a step for every field of its type, present or not. */
const manyObjects = 100

function hasManyObjects(variables: unknown): boolean {
  const open = [variables]
  for (let count = 0; open.length > 0; ) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value) && ++count > manyObjects) return true
    for (const inner of Object.values(value)) open.push(inner)
  }
  return false
}

const mayAskSchema = /__(?:schema|type)\b/

/** True if every root field of every operation is about the schema. */
function asksOnlySchema({ definitions }: DocumentNode): boolean {
  return definitions.every(
    (definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ||
      (definition.kind === Kind.OPERATION_DEFINITION &&
        definition.selectionSet.selections.every(
          (field) => field.kind === Kind.FIELD && field.name.value.startsWith('__'),
        )),
  )
}
