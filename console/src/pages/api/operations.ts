import type {
  OpenApiDocument,
  OperationObject,
} from '@surehook/contracts/openapi/reference/openapi-document'
import { baseOf, operationsOf, titleOf } from '@surehook/contracts/openapi/reference/operations'

/** An operation with what its page and its place in the list need. */
export type Entry = {
  id: string
  document: OpenApiDocument
  operation: OperationObject
  method: string
  /** The path at the gateway. */
  path: string
  /** False for a request that Surehook makes, to the URL of a webhook. */
  isCall: boolean
}

export type Group = { name: string; title: string; about: string; entries: readonly Entry[] }

/** Lists the operations by tag, in the order of the documents. */
export const groupsOf = (documents: readonly OpenApiDocument[]): Group[] =>
  documents.flatMap((document) =>
    document.tags.map(({ name, description }) => ({
      name,
      title: titleOf(name),
      about: description,
      entries: [...callsOf(document, name), ...hooksOf(document, name)],
    })),
  )

const callsOf = (document: OpenApiDocument, tag: string): Entry[] =>
  operationsOf(document, tag).map(({ method, path, operation }) => ({
    id: operation.operationId,
    document,
    operation,
    method: method.toUpperCase(),
    path: `${baseOf(document)}${path}`,
    isCall: true,
  }))

const hooksOf = (document: OpenApiDocument, tag: string): Entry[] =>
  Object.values(document.webhooks ?? {})
    .flatMap((item) => Object.entries(item))
    .filter(([, { tags }]) => tags.includes(tag))
    .map(([method, operation]) => ({
      id: operation.operationId,
      document,
      operation,
      method: method.toUpperCase(),
      path: 'the URL of the webhook',
      isCall: false,
    }))

/** Keeps the operations that have every word, the best ones first. Without words it keeps all. */
export function search(groups: readonly Group[], typed: string): readonly Group[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return groups
  return groups
    .map((group) => ({ ...group, ...found(group.entries, words) }))
    .filter(({ entries }) => entries.length > 0)
    .toSorted((a, b) => b.best - a.best)
}

function found(all: readonly Entry[], words: readonly string[]) {
  const ranked = all
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
  return { entries: ranked.map(({ entry }) => entry), best: ranked[0]?.rank ?? 0 }
}

/** A word in the name counts more than one in the path, and that more than one in the text. */
function rankOf({ operation, method, path }: Entry, words: readonly string[]): number {
  const { operationId, summary, description, tags } = operation
  const places: readonly (readonly [weight: number, text: string])[] = [
    [4, `${operationId} ${summary}`],
    [2, `${method} ${path} ${tags.join(' ')}`],
    [1, description],
  ]
  const ranks = words.map((word) =>
    places.reduce(
      (sum, [weight, text]) => sum + (text.toLowerCase().includes(word) ? weight : 0),
      0,
    ),
  )
  return ranks.includes(0) ? 0 : ranks.reduce((sum, one) => sum + one, 0)
}

export const entryOf = (groups: readonly Group[], id: string | null): Entry | undefined =>
  groups.flatMap(({ entries }) => entries).find((one) => one.id === id)
