import type { Operation } from '@surehook/contracts/operation'
import type { Violation } from '@surehook/contracts/problem'
import type { IRouterMatcher, Request, RequestHandler, Response, Router } from 'express'
import type * as z from 'zod'
import { AppError, invalid } from '../errors.ts'
import { readJsonBody } from './json-body.ts'
import { sendJson } from './problem.ts'
import { contextOf, type RequestContext } from './request-context.ts'
import { headerName, parsePart } from './violations.ts'

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** The request as the operation's schemas read it; a part without a schema is `undefined`. */
export type Input<Op extends Operation> = {
  params: Parsed<Op['params']>
  query: Parsed<Op['query']>
  headers: Parsed<Op['headers']>
  body: Parsed<Op['body']>
}

/** An answer with headers of its own. */
export class Reply {
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>

  constructor(body: unknown, headers: Readonly<Record<string, string>>) {
    this.body = body
    this.headers = headers
  }
}

class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** An answer that is JSON text already: sent as it is, past the reply schema. */
export function rawJson(text: string): RawJson {
  return new RawJson(text)
}

type Answer<Op extends Operation> = z.input<Op['reply']['schema']> | Reply | RawJson

export type Handle<Op extends Operation, Auth = undefined> = (
  input: Input<Op>,
  ctx: RequestContext & { readonly auth: Auth },
) => Promise<Answer<Op>> | Answer<Op>

export type AuthorizedHandler<Op extends Operation, Auth> = {
  /** Runs before the request is validated and before its body is read; its result is `ctx.auth`. */
  authorize: (ctx: RequestContext) => Promise<Auth> | Auth
  /** For a protocol that tells errors in its own way: the answer to what `authorize` threw. */
  refuse?: (err: unknown, ctx: RequestContext) => RawJson
  handle: Handle<Op, Auth>
}

/**
 * Serves an operation: authorises, parses every part of the request and answers with all its faults at
 * once, calls the handler and lets through of its answer only what the reply schema declares.
 */
export function mount<Op extends Operation, Auth = undefined>(
  router: Router,
  operation: Op,
  handler: Handle<Op, Auth> | AuthorizedHandler<Op, Auth>,
): void {
  const {
    authorize,
    refuse,
    handle,
  }: Partial<AuthorizedHandler<Op, Auth>> & { handle: Handle<Op, Auth> } =
    typeof handler === 'function' ? { handle: handler } : handler
  const serve: RequestHandler = async (req, res) => {
    const context = contextOf(res)
    context.operation = operation.id
    context.pathTemplate = operation.path
    try {
      if (authorize !== undefined) context.auth = await authorize(context)
    } catch (err) {
      if (refuse === undefined) throw err
      sendAnswer(res, operation, { answer: refuse(err, context), req })
      return
    }
    const input = await readInput(operation, req, context)
    const answer = await handle(input, context as RequestContext & { readonly auth: Auth })
    sendAnswer(res, operation, { answer, req })
  }
  const register: IRouterMatcher<unknown> = router[operation.method].bind(router)
  register(expressPath(operation.path), serve)
  rememberMethod(router, operation.path, operation.method)
}

async function readInput<Op extends Operation>(
  operation: Op,
  req: Request,
  { bodyLimitBytes }: RequestContext,
): Promise<Input<Op>> {
  const violations: Violation[] = []
  const { params, query, headers, body } = operation
  const input = {
    params: params && parsePart('params', params, { input: req.params, violations }),
    query: query && parsePart('query', query, { input: req.query, violations }),
    headers: headers && parseHeaders(headers, req, violations),
    body: body && (await parseBody(body, { req, bodyLimitBytes, violations })),
  }
  if (violations.length > 0) throw invalid(violations)
  return input as Input<Op>
}

function parseHeaders(schema: z.ZodObject, req: Request, violations: Violation[]): unknown {
  const input: Record<string, string | undefined> = {}
  for (const name of Object.keys(schema.shape)) {
    const values = req.headersDistinct[name.toLowerCase()]
    if (values !== undefined && values.length > 1) {
      violations.push({ field: headerName(name), message: 'must be sent once' })
    }
    input[name] = values?.[0]
  }
  return parsePart('headers', schema, { input, violations })
}

type BodyOptions = { req: Request; bodyLimitBytes: number; violations: Violation[] }

/** A body that is no JSON is one fault of the request among others. */
async function parseBody(schema: z.ZodType, options: BodyOptions): Promise<unknown> {
  const { req, bodyLimitBytes, violations } = options
  try {
    const input = await readJsonBody(req, bodyLimitBytes)
    return parsePart('body', schema, { input, violations })
  } catch (err) {
    if (!(err instanceof AppError) || err.violations === undefined) throw err
    violations.push(...err.violations)
    return undefined
  }
}

type Answered = { answer: unknown; req: Request }

function sendAnswer(res: Response, { reply }: Operation, { answer, req }: Answered): void {
  const { body, headers } = answer instanceof Reply ? answer : { body: answer, headers: {} }
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  if (hasAlready(req, res)) {
    res.writeHead(304).end()
    return
  }
  if (reply.status === 204) {
    res.writeHead(204).end()
    return
  }
  const json = body instanceof RawJson ? body.text : JSON.stringify(reply.schema.parse(body))
  sendJson(res, reply.status, json)
}

/** The client holds what the handler's `ETag` stands for. */
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

/** For a route that is not mounted: its path is to answer other methods as those of operations do. */
export function rememberMethod(router: Router, path: string, method: string): void {
  const paths = methodsByRouter.get(router) ?? new Map<string, Set<string>>()
  const methods = paths.get(path) ?? new Set<string>()
  methodsByRouter.set(router, paths.set(path, methods.add(method.toUpperCase())))
}

/** After all operations: a path that one of them serves answers other methods with 405 and `Allow`. */
export function refuseOtherMethods(router: Router): void {
  const paths = [...(methodsByRouter.get(router) ?? [])]
  // What a path names outright is not an id.
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
