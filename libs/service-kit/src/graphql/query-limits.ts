import {
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql'
import { AppError } from '../errors.ts'

export type QueryLimits = {
  /** Most operations and fragments together. */
  maxDefinitions: number
  maxDepth: number
  maxAliases: number
  /** Most fields with one response name in one place, including those of fragments. */
  maxRepeats: number
  maxCost: number
  /** Cost of a mutation and of a query. A field inside them costs 1. */
  mutationCost: number
  queryCost: number
  /** Cost of an alias in an introspection query, because its response is always long. */
  schemaAliasCost: number
}

/** Error for a request that exceeds a limit. */
export function exceeds(message: string): AppError {
  const violations = [{ field: 'query', message, rule: 'too_complex' }] as const
  return new AppError('VALIDATION_ERROR', message, { violations })
}

/**
 * Throws for a document that exceeds the limits. It runs before GraphQL's validation, whose time
 * grows with the square of the fields that share a response name. A fragment counts at every
 * spread, so that it does not reduce the cost.
 */
export function requireSmall(document: DocumentNode, limits: QueryLimits): void {
  const { maxDefinitions } = limits
  if (document.definitions.length > maxDefinitions) {
    throw exceeds(`The request has more than ${maxDefinitions} operations and fragments`)
  }
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(definition.name.value, definition)
    }
  }
  for (const definition of document.definitions) {
    const place = placeOf(definition, limits)
    if (place === null || !('selectionSet' in definition)) continue
    // GraphQL validates unused fragments as well.
    new Walk(fragments, limits).visit([definition.selectionSet], place)
  }
}

type QueryPosition = { depth: number; fieldCost: number; isSchema: boolean }

function placeOf(
  definition: DefinitionNode,
  { mutationCost, queryCost }: QueryLimits,
): QueryPosition | null {
  const place = { depth: 1, fieldCost: 1, isSchema: false }
  if (definition.kind === Kind.OPERATION_DEFINITION) {
    const isMutation = definition.operation === OperationTypeNode.MUTATION
    return { ...place, fieldCost: isMutation ? mutationCost : queryCost }
  }
  if (definition.kind !== Kind.FRAGMENT_DEFINITION) return null
  return { ...place, isSchema: definition.typeCondition.name.value.startsWith('__') }
}

/** Walks one operation. Throws once a limit is exceeded, so that the walk itself stays short. */
class Walk {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #limits: QueryLimits
  #aliases = 0
  #cost = 0
  #schemas = 0
  #steps = 0

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>, limits: QueryLimits) {
    this.#fragments = fragments
    this.#limits = limits
  }

  /**
   * Visits the selection sets that GraphQL would merge: those of all fields with one response name.
   */
  visit(selectionSets: readonly SelectionSetNode[], place: QueryPosition): void {
    const fields = new Map<string, FieldNode[]>()
    const spread = new Set<string>()
    for (const selectionSet of selectionSets) this.#collect(selectionSet, fields, spread)
    for (const [name, same] of fields) {
      if (same.length > this.#limits.maxRepeats) {
        throw exceeds(
          `The operation asks for a field more than ${this.#limits.maxRepeats} times: ${name}`,
        )
      }
      this.#visitFields(same, place)
    }
  }

  #collect(
    { selections }: SelectionSetNode,
    fields: Map<string, FieldNode[]>,
    spread: Set<string>,
  ): void {
    for (const selection of selections) {
      this.#step()
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value
        const same = fields.get(name)
        if (same === undefined) fields.set(name, [selection])
        else same.push(selection)
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        this.#collect(selection.selectionSet, fields, spread)
      } else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value)
        const fragment = this.#fragments.get(selection.name.value)
        if (fragment !== undefined) this.#collect(fragment.selectionSet, fields, spread)
      }
    }
  }

  #visitFields(same: readonly FieldNode[], { depth, fieldCost, isSchema }: QueryPosition): void {
    const { maxDepth } = this.#limits
    if (depth === 1 && same.some(({ name }) => name.value === '__schema')) this.#countSchema(same)
    const asksSchema = isSchema || same.some(({ name }) => name.value.startsWith('__'))
    // graphql-js itself limits the depth of introspection.
    if (depth > maxDepth && !asksSchema) {
      throw exceeds(`The operation is deeper than ${maxDepth} levels`)
    }
    for (const field of same) this.#count(field, { fieldCost, asksSchema })
    const inner = same.flatMap(({ selectionSet }) => selectionSet ?? [])
    if (inner.length > 0) {
      this.visit(inner, { depth: depth + 1, fieldCost: 1, isSchema: asksSchema })
    }
  }

  /** The whole schema is the longest answer, and nobody needs it twice. */
  #countSchema(same: readonly FieldNode[]): void {
    this.#schemas += same.length
    if (this.#schemas > 1) throw exceeds('The operation asks for __schema more than once')
  }

  #count(
    { alias }: FieldNode,
    { fieldCost, asksSchema }: { fieldCost: number; asksSchema: boolean },
  ): void {
    const { maxAliases, maxCost, schemaAliasCost } = this.#limits
    if (alias !== undefined && ++this.#aliases > maxAliases) {
      throw exceeds(`The operation has more than ${maxAliases} aliases`)
    }
    if (asksSchema) this.#cost += alias === undefined ? 1 : schemaAliasCost
    else this.#cost += fieldCost
    if (this.#cost > maxCost) throw exceeds(`The operation costs more than ${maxCost}`)
  }

  #step(): void {
    const { maxCost } = this.#limits
    if (++this.#steps > maxCost) throw exceeds(`The operation costs more than ${maxCost}`)
  }
}
