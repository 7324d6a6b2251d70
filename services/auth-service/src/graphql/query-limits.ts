import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  Kind,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql'

export type QueryLimits = {
  maxDepth: number
  maxAliases: number
  maxCost: number
  /** Of a mutation; every other field costs 1. */
  mutationCost: number
}

/** `fields` are those of the outermost level. */
type Size = { depth: number; aliases: number; cost: number; fields: number }

const nothing: Size = { depth: 0, aliases: 0, cost: 0, fields: 0 }

/**
 * A validation rule. A fragment counts wherever it is spread, so that nesting fragments makes nothing
 * cheaper. Questions about the schema are held by their cost; their depth is limited by graphql itself.
 */
export function limitQuery(limits: QueryLimits): (context: ValidationContext) => ASTVisitor {
  return (context) => ({
    Document(document) {
      for (const fault of faultsOf(document, limits)) context.reportError(new GraphQLError(fault))
    },
  })
}

function faultsOf(document: DocumentNode, limits: QueryLimits): string[] {
  const { maxDepth, maxAliases, maxCost, mutationCost } = limits
  const sizeOf = createSizer(document)
  return document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return []
    const { depth, aliases, cost, fields } = sizeOf(definition.selectionSet)
    const mutations = definition.operation === OperationTypeNode.MUTATION ? fields : 0
    const isTooCostly = cost + mutations * (mutationCost - 1) > maxCost
    return [
      ...(depth > maxDepth ? [`The operation is deeper than ${maxDepth} levels`] : []),
      ...(aliases > maxAliases ? [`The operation has more than ${maxAliases} aliases`] : []),
      ...(isTooCostly ? [`The operation costs more than ${maxCost}`] : []),
    ]
  })
}

function createSizer(document: DocumentNode): (selectionSet: SelectionSetNode) => Size {
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION
        ? [[definition.name.value, definition.selectionSet] as const]
        : [],
    ),
  )
  const known = new Map<string, Size>()

  function sizeOf({ selections }: SelectionSetNode): Size {
    return selections.map(sizeOfSelection).reduce(beside, nothing)
  }

  function sizeOfSelection(selection: SelectionNode): Size {
    switch (selection.kind) {
      case Kind.INLINE_FRAGMENT:
        return sizeOf(selection.selectionSet)
      case Kind.FRAGMENT_SPREAD:
        return sizeOfFragment(selection.name.value)
      case Kind.FIELD: {
        const { depth, aliases, cost } = selection.selectionSet
          ? sizeOf(selection.selectionSet)
          : nothing
        const isIntrospection = selection.name.value.startsWith('__')
        return {
          depth: isIntrospection ? 0 : depth + 1,
          aliases: aliases + (selection.alias === undefined ? 0 : 1),
          cost: cost + 1,
          fields: 1,
        }
      }
    }
  }

  function sizeOfFragment(name: string): Size {
    const size = known.get(name)
    if (size !== undefined) return size
    // While a fragment is being measured it counts nothing: one that holds itself is refused elsewhere.
    known.set(name, nothing)
    const selectionSet = fragments.get(name)
    const measured = selectionSet === undefined ? nothing : sizeOf(selectionSet)
    known.set(name, measured)
    return measured
  }

  return sizeOf
}

const beside = (a: Size, b: Size): Size => ({
  depth: Math.max(a.depth, b.depth),
  aliases: a.aliases + b.aliases,
  cost: a.cost + b.cost,
  fields: a.fields + b.fields,
})
