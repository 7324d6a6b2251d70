import type { OpenApiDocument, OperationObject } from './openapi-document.ts'
import { code } from './words.ts'

export type ListedOperation = { method: string; path: string; operation: OperationObject }

export const titleOf = (tag: string): string => `${tag.charAt(0).toUpperCase()}${tag.slice(1)}`

export function operationsOf({ paths }: OpenApiDocument, tag: string): ListedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ method, path, operation })),
  )
}

/** Returns the path that every operation of the document begins with. */
export const baseOf = ({ servers }: OpenApiDocument): string =>
  servers[0]?.url.replace(/\/$/, '') ?? ''

const credentials: Readonly<Record<string, string>> = {
  admin: 'the administration token',
  management: 'a management token',
  user: "a user's access token",
}

/** Returns who may call the operation, in words. */
export function credentialOf({ security, 'x-management-right': right }: OperationObject): string {
  const names = security.flatMap(Object.keys).map((name) => {
    const known = credentials[name] ?? name
    return name === 'management' && right !== undefined
      ? `${known} with the right ${code(right)}`
      : known
  })
  return names.length === 0 ? 'none' : names.join(' or ')
}

/** Returns each status of a refusal with one of its codes. */
export function errorsOf({ responses }: OperationObject): [status: string, code: string][] {
  return Object.entries(responses)
    .filter(([status]) => /^[45]\d\d$/.test(status))
    .flatMap(([status, { description }]) =>
      description.split(', ').map((name): [string, string] => [status, name]),
    )
}
