import { send } from '@surehook/scripts/client/call'

export const operations = {
  signup: { path: 'signup', status: 201, select: 'userId message' },
  confirmSignup: { path: 'confirm-signup', status: 200, select: 'SESSION' },
  resendCode: { path: 'resend-code', status: 200, select: 'message' },
  login: { path: 'login', status: 200, select: 'SESSION' },
  recoverPassword: { path: 'recover-password', status: 200, select: 'message' },
  resetPassword: { path: 'reset-password', status: 200, select: 'message' },
  refreshToken: { path: 'refresh-token', status: 200, select: 'accessToken refreshToken' },
  logout: { path: 'logout', status: 200, select: 'message' },
} as const

export type OperationName = keyof typeof operations

const session = 'accessToken refreshToken user { id email firstName lastName roles }'

/** Copied from the specification, so that the test does not depend on the code. */
const statusOf: Readonly<Record<string, number>> = {
  VALIDATION_ERROR: 400,
  AUTH_INVALID_CODE: 400,
  AUTH_INVALID_CREDENTIALS: 401,
  AUTH_TOKEN_EXPIRED: 401,
  AUTH_TOKEN_INVALID: 401,
  AUTH_EMAIL_NOT_VERIFIED: 403,
  AUTH_NOT_CONFIGURED: 404,
  AUTH_EMAIL_EXISTS: 409,
  AUTH_ACCOUNT_LOCKED: 423,
  RATE_LIMIT_EXCEEDED: 429,
  SERVICE_UNAVAILABLE: 503,
}

export type Result = {
  userId: string
  message: string
  accessToken: string
  refreshToken: string
  user: { id: string; email: string; firstName: string; lastName: string; roles: string[] }
  keys: Record<string, string>[]
}

/** The outcome of a call, in one form for both transports. */
export type Outcome = {
  /** `ok`, or the error code. */
  code: string
  result: Result
  lockedUntil?: string
  retryAfter?: number
  fields: string[]
}

export type Headers = Record<string, string | undefined>
type Args = Readonly<Record<string, unknown>>

/** A transport. Each checks its own rules: status and headers, or the form of GraphQL answers. */
export type AuthTransport = {
  call(
    url: string,
    operation: OperationName,
    request: { args: Args; headers: Headers },
  ): Promise<Outcome>
  jwks(url: string, headers: Headers): Promise<Outcome>
}

type Problem = {
  error: string
  message?: string
  lockedUntil?: string
  violations?: { field: string; message: string }[]
}

const rest: AuthTransport = {
  async call(url, operation, { args, headers }) {
    const { path, status } = operations[operation]
    const body = operation === 'logout' ? undefined : args
    return restOutcome(await send(url, `POST /auth/${path}`, { body, headers }), status)
  },
  async jwks(url, headers) {
    return restOutcome(await send(url, 'GET /auth/.well-known/jwks.json', { headers }), 200)
  },
}

type RestAnswer = Awaited<ReturnType<typeof send>>

function restOutcome(answer: RestAnswer, expectedStatus: number): Outcome {
  const { status, headers } = answer
  demand(headers.get('x-request-id') !== null, 'an answer without X-Request-Id')
  if (status === expectedStatus) {
    return { code: 'ok', result: answer.body as unknown as Result, fields: [] }
  }
  const problem = answer.body as Problem
  const isKnown = statusOf[problem.error] === status
  demand(isKnown, `${status} ${answer.text} is not of the specification`)
  const waits = headers.get('retry-after')
  demand(
    (waits !== null) === (status === 429 || status === 503),
    `Retry-After ${waits} on ${status}`,
  )
  return outcomeOf(problem, waits === null ? undefined : Number(waits))
}

function outcomeOf(problem: Problem, retryAfter: number | undefined): Outcome {
  const { error, lockedUntil, violations = [] } = problem
  demand((error === 'AUTH_ACCOUNT_LOCKED') === (lockedUntil !== undefined), 'lockedUntil')
  demand((error === 'VALIDATION_ERROR') === violations.length > 0, 'violations')
  return {
    code: error,
    result: {} as Result,
    ...(lockedUntil !== undefined && { lockedUntil }),
    ...(retryAfter !== undefined && { retryAfter }),
    fields: violations.map(({ field }) => field),
  }
}

const graphql: AuthTransport = {
  async call(url, operation, { args, headers }) {
    return graphqlOutcome(
      await execute(url, mutationOf(operation, args), { args, headers }),
      operation,
    )
  },
  async jwks(url, headers) {
    const query = '{ jwks { keys { kty kid use alg n e } } }'
    return graphqlOutcome(await execute(url, query, { args: {}, headers }), 'jwks')
  },
}

const typeOf: Readonly<Record<string, string>> = {
  email: 'String!',
  password: 'String!',
  newPassword: 'String!',
  code: 'String!',
  refreshToken: 'String!',
  firstName: 'String',
  lastName: 'String',
  roleId: 'String',
}
const required: Readonly<Record<OperationName, readonly string[]>> = {
  signup: ['email', 'password'],
  confirmSignup: ['email', 'code'],
  resendCode: ['email'],
  login: ['email', 'password'],
  recoverPassword: ['email'],
  resetPassword: ['email', 'newPassword', 'code'],
  refreshToken: ['refreshToken'],
  logout: [],
}

/** Declares required arguments even if they are missing, so that GraphQL reports their absence. */
function mutationOf(operation: OperationName, args: Args): string {
  const names = [...new Set([...required[operation], ...Object.keys(args)])]
  const list = (form: (name: string) => string) =>
    names.length === 0 ? '' : `(${names.map(form).join(', ')})`
  const declared = list((name) => `$${name}: ${typeOf[name] ?? 'String'}`)
  const { select } = operations[operation]
  const selection = select === 'SESSION' ? session : select
  return `mutation ${declared} { ${operation}${list((name) => `${name}: $${name}`)} { ${selection} } }`
}

type GraphQLAnswer = {
  data?: Record<string, Result | null>
  errors?: { message: string; path?: string[]; extensions: Extensions }[]
}
type Extensions = Omit<Problem, 'error'> & { code: string; retryAfter?: number }

export async function execute(
  url: string,
  query: string,
  { args = {}, headers }: { args?: Args; headers: Headers },
): Promise<GraphQLAnswer> {
  const answer = await send(url, 'POST /auth/graphql', {
    body: { query, variables: args },
    headers,
  })
  const executed = answer.body as GraphQLAnswer
  demand(isStatusOf(executed, answer.status), `GraphQL answered ${answer.status} ${answer.text}`)
  return executed
}

/**
 * An executed request has status 200. A request refused before has the status of REST, or 200 for a
 * faulty document.
 */
function isStatusOf({ data, errors }: GraphQLAnswer, status: number): boolean {
  const code = data === undefined ? errors?.[0]?.extensions.code : undefined
  if (code === undefined) return status === 200
  return status === statusOf[code] || (status === 200 && code === 'VALIDATION_ERROR')
}

function graphqlOutcome({ data, errors }: GraphQLAnswer, field: string): Outcome {
  const [error] = errors ?? []
  if (error === undefined) {
    demand(data?.[field] != null, `no data of ${field}`)
    return { code: 'ok', result: data?.[field] as Result, fields: [] }
  }
  demand(data?.[field] == null, `both data and an error of ${field}`)
  const { code, retryAfter, ...details } = error.extensions
  demand(statusOf[code] !== undefined, `${code} is not of the specification`)
  const all = (errors ?? []).flatMap(({ extensions }) => extensions.violations ?? [])
  return outcomeOf(
    { ...details, error: code, ...(all.length > 0 && { violations: all }) },
    retryAfter,
  )
}

export const transports: readonly (readonly [name: string, transport: AuthTransport])[] = [
  ['REST', rest],
  ['GraphQL', graphql],
]

function demand(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}
