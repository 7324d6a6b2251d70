import * as z from 'zod'
import type { ErrorCode } from './problem.ts'

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Who may call: the platform's administrator, a holder of a management token, a user, anybody. */
export type Security = 'admin' | 'management' | 'user' | 'managementOrUser' | 'none'

/** The credentials of which one is needed, by their names in OpenAPI. */
export function credentialsOf(security: Security) {
  if (security === 'none') return []
  return security === 'managementOrUser' ? (['management', 'user'] as const) : [security]
}

type Schema = z.ZodType | undefined
type ObjectSchema = z.ZodObject | undefined

/** One endpoint: the one value that routing, validation, replies and the OpenAPI document follow. */
export type Operation<
  Params extends ObjectSchema = ObjectSchema,
  Query extends ObjectSchema = ObjectSchema,
  Headers extends ObjectSchema = ObjectSchema,
  Body extends Schema = Schema,
  ReplySchema extends z.ZodType = z.ZodType,
> = {
  readonly id: string
  readonly method: HttpMethod
  /** `/a/{b}`; each `{b}` is a key of `params`. */
  readonly path: string
  /** Its heading in the reference: an imperative. */
  readonly summary: string
  /** What it does and answers, in sentences. */
  readonly description: string
  readonly tag: string
  readonly security: Security
  readonly params: Params
  readonly query: Query
  /** Keys in lower case. */
  readonly headers: Headers
  readonly body: Body
  /**
   * The media types that the body may have, each with its schema; only `application/json` if left out.
   * `body` must take them all: the handler reads each by its type.
   */
  readonly bodies?: Readonly<Record<string, z.ZodType>>
  /** What of the handler's answer reaches the client. */
  readonly reply: {
    readonly status: number
    readonly schema: ReplySchema
    readonly description?: string
    /** Of one thing: with its `ETag`; a GET whose `If-None-Match` has it is answered 304. */
    readonly hasETag?: true
  }
  /** Of its answers, as the request's `Accept` prefers; only `application/json` if left out. */
  readonly mediaTypes?: readonly string[]
  /** The form of the service's answer to a request that is refused; a `Problem` if left out. */
  readonly refusal?: z.ZodType
  /** Besides those that every operation can answer with (404, 405, 500 and such). */
  readonly errors: readonly ErrorCode[]
}

type RequestPart = 'params' | 'query' | 'headers' | 'body'
type Definition<Op extends Operation> = Omit<Op, RequestPart> & Partial<Pick<Op, RequestPart>>

/** Throws when the parts contradict each other: a mistake in a contract stops the process at start. */
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
    ...pathFaults(path, params),
    ...strictnessFaults('query', query),
    ...strictnessFaults('body', body),
    ...headerFaults(headers),
  ]
  if (faults.length > 0) throw new Error(`Operation ${id}: ${faults.join(', ')}`)
  // A part that was left out keeps its type argument's default, undefined.
  return Object.freeze(definition) as Operation<Params, Query, Headers, Body, ReplySchema>
}

function pathFaults(path: string, params: ObjectSchema): string[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').toSorted()
  const declared = Object.keys(params?.shape ?? {}).toSorted()
  return inPath.join() === declared.join()
    ? []
    : [`its path has {${inPath.join()}} and its params are {${declared.join()}}`]
}

/** A field that nobody reads is a mistake of the client that it wants to hear of. */
function strictnessFaults(part: string, schema: Schema): string[] {
  if (!(schema instanceof z.ZodObject)) return []
  return schema.def.catchall instanceof z.ZodNever ? [] : [`its ${part} is not a z.strictObject`]
}

function headerFaults(headers: ObjectSchema): string[] {
  return Object.keys(headers?.shape ?? {})
    .filter((name) => name !== name.toLowerCase())
    .map((name) => `its header ${name} is not in lower case`)
}
