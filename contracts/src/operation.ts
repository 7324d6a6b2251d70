import * as z from 'zod'
import type { ErrorCode } from './problem.ts'
import type { ManagementRight } from './rights.ts'

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete'

const credentials = {
  admin: ['admin'],
  adminOrManagement: ['admin', 'management'],
  /**
   * For operations that give a token nothing beyond its own rights: any management token may call
   * them.
   */
  adminOrAnyManagement: ['admin', 'management'],
  management: ['management'],
  managementOrUser: ['management', 'user'],
  user: ['user'],
  /** A service of the platform. The operation has no path at the gateway and is not published. */
  service: ['service'],
  none: [],
} as const

/**
 * Required caller: the platform's administrator, a holder of a management token, a user, a service,
 * or anyone.
 */
export type Security = keyof typeof credentials
type Credential = (typeof credentials)[Security][number]

/** Names of the OpenAPI security schemes, of which a caller needs one. */
export const credentialsOf = (security: Security): readonly Credential[] => credentials[security]

type Schema = z.ZodType | undefined
type ObjectSchema = z.ZodObject | undefined

/**
 * Definition of one endpoint. Routing, validation, replies and the OpenAPI document all derive from
 * it.
 */
export type Operation<
  Params extends ObjectSchema = ObjectSchema,
  Query extends ObjectSchema = ObjectSchema,
  Headers extends ObjectSchema = ObjectSchema,
  Body extends Schema = Schema,
  ReplySchema extends z.ZodType = z.ZodType,
> = {
  readonly id: string
  readonly method: HttpMethod
  /** Path template `/a/{b}`. Each `{b}` is a key of `params`. */
  readonly path: string
  /** Heading in the reference, in the imperative. */
  readonly summary: string
  /** Text of the reference: full sentences about its effect and its response. */
  readonly description: string
  readonly tag: string
  readonly security: Security
  /**
   * The right that a management token needs. Every operation that takes one names it, except those
   * for any token.
   */
  readonly right?: ManagementRight
  readonly params: Params
  readonly query: Query
  /** Keys are in lower case. */
  readonly headers: Headers
  readonly body: Body
  /**
   * Media types of the body, each with its schema. Default: only `application/json`. `body` must
   * accept all of them, because the handler reads each by its type.
   */
  readonly bodies?: Readonly<Record<string, z.ZodType>>
  /** The schema filters the handler's result: only its fields reach the client. */
  readonly reply: {
    readonly status: number
    readonly schema: ReplySchema
    readonly description?: string
    /**
     * For a reply about one resource: it has an `ETag`, and a GET with a matching `If-None-Match`
     * gets 304.
     */
    readonly hasETag?: true
  }
  /**
   * Response media types, of which the request's `Accept` chooses one. Default: `application/json`.
   */
  readonly mediaTypes?: readonly string[]
  /** Body of a refused request, as the service sends it. Default: a `Problem`. */
  readonly refusal?: z.ZodType
  /** Error codes besides those that every operation can return (404, 405, 500 and others). */
  readonly errors: readonly ErrorCode[]
}

/** The body of the reply, as a client reads it. */
export type ReplyOf<Op extends Operation> = z.output<Op['reply']['schema']>

type RequestPart = 'params' | 'query' | 'headers' | 'body'
type Definition<Op extends Operation> = Omit<Op, RequestPart> & Partial<Pick<Op, RequestPart>>

/**
 * Throws when parts of the definition contradict each other, so that a wrong contract stops the
 * process at start.
 */
export function defineOperation<
  ReplySchema extends z.ZodType,
  Params extends ObjectSchema = undefined,
  Query extends ObjectSchema = undefined,
  Headers extends ObjectSchema = undefined,
  Body extends Schema = undefined,
>(
  definition: Definition<Operation<Params, Query, Headers, Body, ReplySchema>>,
): Operation<Params, Query, Headers, Body, ReplySchema> {
  const { id, path, params, query, headers, body } = definition
  const faults = [
    ...rightFaults(definition),
    ...pathFaults(path, params),
    ...strictnessFaults('query', query),
    ...strictnessFaults('body', body),
    ...headerFaults(headers),
  ]
  if (faults.length > 0) throw new Error(`Operation ${id}: ${faults.join(', ')}`)
  // An omitted part keeps the default of its type argument, `undefined`.
  return Object.freeze(definition) as Operation<Params, Query, Headers, Body, ReplySchema>
}

/** Without a right, every management token would be admitted. */
function rightFaults({ security, right }: Pick<Operation, 'security' | 'right'>): string[] {
  const needsRight =
    security !== 'adminOrAnyManagement' && credentialsOf(security).includes('management')
  if (needsRight === (right !== undefined)) return []
  return [needsRight ? 'it names no right of management tokens' : 'it takes no management token']
}

function pathFaults(path: string, params: ObjectSchema): string[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').toSorted()
  const declared = Object.keys(params?.shape ?? {}).toSorted()
  return inPath.join() === declared.join()
    ? []
    : [`its path has {${inPath.join()}} and its params are {${declared.join()}}`]
}

/** An unknown field is a mistake of the client and must get an error. */
function strictnessFaults(part: string, schema: Schema): string[] {
  if (!(schema instanceof z.ZodObject)) return []
  return schema.def.catchall instanceof z.ZodNever ? [] : [`its ${part} is not a z.strictObject`]
}

function headerFaults(headers: ObjectSchema): string[] {
  return Object.keys(headers?.shape ?? {})
    .filter((name) => name !== name.toLowerCase())
    .map((name) => `its header ${name} is not in lower case`)
}
