import type { ServerResponse } from 'node:http'
import { parse as parseQuery, unescape } from 'node:querystring'
import type { Operation } from '@surehook/contracts/operation'
import type { RuledViolation } from '@surehook/contracts/problem'
import type { IRouterMatcher, Request, RequestHandler, Response, Router } from 'express'
import type * as z from 'zod'
import { AppError, invalid } from '../errors.ts'
import { ClientGoneError, readJsonBody } from './json-body.ts'
import { sendJson } from './problem.ts'
import { contextOf, type RequestContext } from './request/request-context.ts'
import { headerName, parsePart, soundFields } from './violations.ts'

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** The request as parsed by the operation's schemas. A part without a schema is `undefined`. */
export type Input<Op extends Operation> = {
  params: OutputOf<Op['params']>
  query: OutputOf<Op['query']>
  headers: OutputOf<Op['headers']>
  body: OutputOf<Op['body']>
}

/**
 * Valid parts of a request with faults: its path, and the fields of its body that are valid on
 * their own.
 */
export type Sound<Op extends Operation> = {
  params: OutputOf<Op['params']>
  body: Partial<OutputOf<Op['body']>>
}

/** A response with its own headers, and optionally another status than the operation's. */
export class Reply {
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  readonly status: number | undefined

  constructor(body: unknown, headers: Readonly<Record<string, string>>, status?: number) {
    this.body = body
    this.headers = headers
    this.status = status
  }
}

/** An answer that writes itself. When it rejects, an answer that has begun is cut. */
export class WrittenAnswer {
  readonly write: (res: ServerResponse) => Promise<void>

  constructor(write: (res: ServerResponse) => Promise<void>) {
    this.write = write
  }
}

class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A response that is already JSON text. It bypasses the reply schema. */
export function rawJson(text: string): RawJson {
  return new RawJson(text)
}

type Answer<Op extends Operation> = z.input<Op['reply']['schema']> | Reply | RawJson | WrittenAnswer

export type Handle<Op extends Operation, Auth = undefined> = (
  input: Input<Op>,
  ctx: RequestContext & { readonly auth: Auth },
) => Promise<Answer<Op>> | Answer<Op>

export type AuthorizedHandler<Op extends Operation, Auth> = {
  /** Runs before the request is validated and its body is read. Its result is `ctx.auth`. */
  authorize: (ctx: RequestContext) => Promise<Auth> | Auth
  /**
   * Builds the response to a request that fails with `err`, for a protocol with its own error
   * format.
   */
  refuse?: (err: unknown, ctx: RequestContext) => Reply
  /**
   * Checks rules that the schemas cannot express. It is called when the schemas found faults, so
   * that one response names all faults. `handle` must check the rules itself.
   */
  ruleFaults?: (
    sound: Sound<Op>,
    ctx: RequestContext & { readonly auth: Auth },
  ) => Promise<readonly RuledViolation[]>
  handle: Handle<Op, Auth>
}

/**
 * Serves an operation. It authorises, parses every part of the request and reports all faults at
 * once. It then calls the handler and returns only the fields that the reply schema declares.
 */
export function mount<Op extends Operation, Auth = undefined>(
  router: Router,
  operation: Op,
  handler: Handle<Op, Auth> | AuthorizedHandler<Op, Auth>,
): void {
  const {
    authorize,
    refuse,
    ruleFaults,
    handle,
  }: Partial<AuthorizedHandler<Op, Auth>> & { handle: Handle<Op, Auth> } =
    typeof handler === 'function' ? { handle: handler } : handler
  const answerTo = async (req: Request, context: RequestContext): Promise<Answer<Op>> => {
    if (authorize !== undefined) context.auth = await authorize(context)
    context.isAuthorized = true
    const authorized = context as RequestContext & { readonly auth: Auth }
    const { input, sound, violations } = await readInput(operation, req, context)
    if (violations.length > 0) {
      const more = sound === null ? undefined : await ruleFaults?.(sound, authorized)
      throw invalid([...violations, ...(more ?? [])])
    }
    return handle(input, authorized)
  }
  const serve: RequestHandler = async (req, res) => {
    const context = contextOf(res)
    context.operation = operation.id
    context.right = operation.right
    context.pathTemplate = operation.path
    const asked = context.around(operation, context, () => answerTo(req, context))
    const answer = await asked.catch((err: unknown) => {
      if (refuse === undefined || err instanceof ClientGoneError) throw err
      return refuse(err, context)
    })
    if (answer instanceof WrittenAnswer) await answer.write(res)
    else {
      // Not for writes: what is done must be answered.
      if (operation.method === 'get' && isLong(answer)) await context.nextTurn()
      sendAnswer(res, operation, { answer, req })
    }
  }
  const register: IRouterMatcher<unknown> = router[operation.method].bind(router)
  register(expressPath(operation.path), serve)
  rememberMethod(router, operation.path, operation.method)
}

type RequestInput<Op extends Operation> = {
  /** Set when there are no violations. */
  input: Input<Op>
  /** `null` when the path parameters are not valid. */
  sound: Sound<Op> | null
  violations: RuledViolation[]
}

async function readInput<Op extends Operation>(
  operation: Op,
  req: Request,
  context: RequestContext,
): Promise<RequestInput<Op>> {
  const violations: RuledViolation[] = []
  const { params, query, headers, body, bodies } = operation
  const types = bodies && Object.keys(bodies)
  const path = params && parsePart('params', params, { input: req.params, violations })
  const isPath = violations.length === 0
  const rest = {
    query: query && parsePart('query', query, { input: queryOf(req, violations), violations }),
    headers: headers && parseHeaders(headers, req, violations),
  }
  const read = body && (await readBody(context, { types, violations }))
  const input = {
    params: path,
    ...rest,
    body: body && read && parsePart('body', body, { input: read.json, violations }),
  }
  const fields = body && read && violations.length > 0 ? soundFields(body, read.json) : {}
  const sound = isPath ? { params: path, body: fields } : null
  return { input: input as Input<Op>, sound: sound as Sound<Op> | null, violations }
}

/**
 * Parses the query, and reports values that are not UTF-8. A lone `%`, as in `100%`, stands for
 * itself.
 */
function queryOf({ url }: Request, violations: RuledViolation[]): unknown {
  const broken = new Set<string>()
  const decode = (text: string): string => {
    const decoded = unescape(text)
    const replaced = decoded.split('\ufffd').length - text.split(/%EF%BF%BD/i).length
    if (replaced > 0) broken.add(decoded)
    return decoded
  }
  const query = parseQuery(/\?([^#]*)/.exec(url)?.[1] ?? '', '&', '=', {
    decodeURIComponent: decode,
  })
  for (const [field, value] of Object.entries(query)) {
    const texts = [field, value].flat()
    if (!texts.some((text) => text !== undefined && broken.has(text))) continue
    violations.push({ field, message: 'must be percent-encoded UTF-8', rule: 'invalid_text' })
  }
  return query
}

function parseHeaders(schema: z.ZodObject, req: Request, violations: RuledViolation[]): unknown {
  const input: Record<string, string | undefined> = {}
  for (const name of Object.keys(schema.shape)) {
    const values = req.headersDistinct[name.toLowerCase()]
    if (values !== undefined && values.length > 1) {
      violations.push({
        field: headerName(name),
        message: 'must be sent once',
        rule: 'repeated',
      })
    }
    input[name] = values?.[0]
  }
  return parsePart('headers', schema, { input, violations })
}

type BodyReading = { types: readonly string[] | undefined; violations: RuledViolation[] }

/** A body that is not JSON is reported together with the other faults of the request. */
async function readBody(
  context: RequestContext,
  { types, violations }: BodyReading,
): Promise<{ json: unknown } | undefined> {
  const { req, bodyLimitBytes: limitBytes } = context
  try {
    const nextTurn = () => context.nextTurn()
    return { json: await readJsonBody(req, { limitBytes, types, nextTurn }) }
  } catch (err) {
    if (!(err instanceof AppError) || err.violations === undefined) throw err
    violations.push(...err.violations)
    return undefined
  }
}

/** Checking and writing so many entries takes the event loop for milliseconds. */
const manyEntries = 50

const isLong = (answer: unknown): boolean =>
  Object.values(Object(answer)).some((part) => Array.isArray(part) && part.length > manyEntries)

type AnsweredRequest = { answer: unknown; req: Request }

function sendAnswer(res: Response, { reply }: Operation, { answer, req }: AnsweredRequest): void {
  // The body was late or malformed, and the request already has a response.
  if (res.writableEnded) return
  const {
    body,
    headers,
    status = reply.status,
  } = answer instanceof Reply ? answer : { body: answer, headers: {} }
  for (const [name, value] of Object.entries(headers)) {
    // A gateway in the same process has set what its own part of the answer varies with.
    if (name === 'Vary') res.appendHeader(name, value)
    else res.setHeader(name, value)
  }
  if (hasAlready(req, res)) {
    res.writeHead(304).end()
    return
  }
  if (status === 204) {
    res.writeHead(204).end()
    return
  }
  const json = body instanceof RawJson ? body.text : JSON.stringify(reply.schema.parse(body))
  sendJson(res, status, json)
}

/** True if `If-None-Match` contains the handler's `ETag`. */
function hasAlready({ headers, method }: Request, res: Response): boolean {
  const etag = res.getHeader('ETag')
  const held = headers['if-none-match']
  if (typeof etag !== 'string' || held === undefined || (method !== 'GET' && method !== 'HEAD')) {
    return false
  }
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return held.trim() === '*' || held.split(',').some((tag) => opaque(tag) === opaque(etag))
}

const expressPath = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')

const methodsByRouter = new WeakMap<Router, Map<string, Set<string>>>()

/** Registers a method of a route that is not mounted, so that other methods of its path get 405. */
export function rememberMethod(router: Router, path: string, method: string): void {
  const paths = methodsByRouter.get(router) ?? new Map<string, Set<string>>()
  const methods = paths.get(path) ?? new Set<string>()
  methodsByRouter.set(router, paths.set(path, methods.add(method.toUpperCase())))
}

/** Call it after all operations: known paths then answer other methods with 405 and `Allow`. */
export function refuseOtherMethods(router: Router): void {
  const paths = [...(methodsByRouter.get(router) ?? [])]
  // Literal paths come before paths with parameters.
  paths.sort(([a], [b]) => a.split('{').length - b.split('{').length)
  for (const [path, methods] of paths) {
    if (methods.has('GET')) methods.add('HEAD')
    router.all(expressPath(path), (_req, res) => {
      contextOf(res).pathTemplate = path
      res.setHeader('Allow', [...methods].toSorted().join(', '))
      throw new AppError('METHOD_NOT_ALLOWED', 'This path does not have this method')
    })
  }
}
