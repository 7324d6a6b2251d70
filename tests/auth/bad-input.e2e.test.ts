import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Problem } from '@surehook/contracts/problem'
import { type Answer, send } from '@surehook/scripts/client/call'
import { propertyRuns } from '@surehook/testing/property-runs'
import fc from 'fast-check'
import { type AuthTenant, newEmail, password } from '../support/auth/auth-tenant.ts'
import { type OperationName, operations, transports } from '../support/auth/auth-transports.ts'
import { openSharedAuthWorld, type SharedAuthWorld } from '../support/shared/shared-world.ts'

let world: SharedAuthWorld
let tenant: AuthTenant

beforeAll(async () => {
  world = await openSharedAuthWorld()
  const [[, rest]] = transports as readonly [(typeof transports)[0]]
  tenant = await world.tenant(rest)
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

/** Returns the error: REST has it in the body, GraphQL in an error's extensions. */
function problemOf({ body }: Answer): Partial<Problem> {
  const { errors } = body as {
    errors?: { extensions: Omit<Problem, 'error'> & { code: Problem['error'] } }[]
  }
  const extensions = errors?.[0]?.extensions
  return extensions === undefined ? body : { ...extensions, error: extensions.code }
}

const long = (length: number) => 'x'.repeat(length)
const email = newEmail()

/** Valid arguments of each operation. A test case breaks one field. */
const valid: Readonly<Record<Exclude<OperationName, 'logout'>, Record<string, unknown>>> = {
  signup: { email, password },
  confirmSignup: { email, code: '123456' },
  resendCode: { email },
  login: { email, password },
  recoverPassword: { email },
  resetPassword: { email, newPassword: password, code: '123456' },
  refreshToken: { refreshToken: 'x' },
}
type Operation = keyof typeof valid
const names = Object.keys(valid) as Operation[]

const badEmails = [
  '',
  'x',
  '@example.com',
  'a@b',
  'a b@example.com',
  'a@example.com\u0000',
  'a\r\nBcc: b@example.com@example.com',
  `${long(260)}@example.com`,
]
const faults: [Operation, string, unknown][] = [
  ...names
    .filter((name) => 'email' in valid[name])
    .flatMap((name) =>
      badEmails.map((value): [Operation, string, unknown] => [name, 'email', value]),
    ),
  ['signup', 'firstName', long(101)],
  ['signup', 'firstName', 'a\u0000b'],
  ['signup', 'lastName', 'a\u001b[31m'],
  ['signup', 'lastName', '\ud800'],
  ['signup', 'roleId', 'x'],
  ['signup', 'password', ''],
  ['signup', 'password', long(2_000)],
  ['signup', 'password', `${password}\u0000`],
  ['login', 'password', ''],
  ['login', 'password', 'a\u0000'],
  ['resetPassword', 'newPassword', 'short'],
  ['confirmSignup', 'code', ''],
  ['confirmSignup', 'code', long(100)],
  ['resetPassword', 'code', ''],
  ['resetPassword', 'code', long(100)],
  ['refreshToken', 'refreshToken', ''],
  ['refreshToken', 'refreshToken', long(5_000)],
]
const wrongTypes: [Operation, string, unknown][] = names.flatMap((name) =>
  Object.keys(valid[name]).flatMap((field) =>
    [1, true, {}, [], null].map((value): [Operation, string, unknown] => [name, field, value]),
  ),
)

describe.each(transports)(
  'over %s each fault is a violation that names its field',
  (_name, transport) => {
    let user: AuthTenant
    beforeAll(async () => {
      user = await world.tenant(transport)
    })

    it.each([...faults, ...wrongTypes])('%s: %s %j', async (operation, field, value) => {
      const outcome = await user.call(operation, { ...valid[operation], [field]: value })
      expect([outcome.code, new Set(outcome.fields)]).toEqual([
        'VALIDATION_ERROR',
        new Set([field]),
      ])
    })

    it.each(['12345', '１２３４５６', ' 123456', 'abcdef'])('%j is a wrong code', async (code) => {
      for (const operation of ['confirmSignup', 'resetPassword'] as const) {
        const outcome = await user.call(operation, { ...valid[operation], code })
        expect([operation, outcome.code]).toEqual([operation, 'AUTH_INVALID_CODE'])
      }
    })

    it.each(names)('%s: a field that is missing, and one that is unknown', async (operation) => {
      for (const field of Object.keys(valid[operation])) {
        const { [field]: _, ...rest } = valid[operation]
        const outcome = await user.call(operation, rest)
        expect([outcome.code, outcome.fields]).toEqual(['VALIDATION_ERROR', [field]])
      }
      const outcome = await user.call(operation, { ...valid[operation], surprise: 'x' })
      expect([outcome.code, outcome.fields]).toEqual(['VALIDATION_ERROR', ['surprise']])
    })
  },
)

describe('an invalid request', () => {
  const paths = [...names.map((name) => operations[name].path), 'graphql']
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    send(world.system.baseUrl, `POST /auth/${path}`, {
      body,
      headers: tenant.headers({ headers }),
    })

  it.each([
    ['half an object', '{'],
    ['a string', '"x"'],
    ['a list', '[]'],
    ['null', 'null'],
    ['nothing', ''],
    ['a control character', '\u0000'],
    ['a prototype', '{"__proto__":{"email":"a@example.com"}}'],
    ['deep nesting', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    ['1 MiB', `{"email":"${long(1024 * 1024 - 12)}"}`],
  ])('%s is 400 with violations', async (_what, body) => {
    for (const path of paths) {
      const answer = await post(path, body)
      const { error, violations } = problemOf(answer)
      expect([path, answer.status, error]).toEqual([path, 400, 'VALIDATION_ERROR'])
      expect(violations).not.toHaveLength(0)
    }
  })

  it('a body over 1 MiB is 413, and one that is not JSON is 415', async () => {
    for (const path of paths) {
      const large = await post(path, `{"email":"${long(1024 * 1024)}"}`)
      expect([path, large.status, large.body.error]).toEqual([path, 413, 'PAYLOAD_TOO_LARGE'])
      const form = await post(path, 'email=a', {
        'content-type': 'application/x-www-form-urlencoded',
      })
      const { error } = problemOf(form)
      expect([path, form.status, error]).toEqual([path, 415, 'UNSUPPORTED_MEDIA_TYPE'])
    }
  })

  it('another method is 405, another path 404', async () => {
    for (const path of [...paths, 'logout']) {
      const answer = await send(world.system.baseUrl, `GET /auth/${path}`, {
        headers: tenant.headers(),
      })
      expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, 'POST'])
    }
    const answer = await send(world.system.baseUrl, 'POST /auth/nothing', { body: {} })
    expect([answer.status, answer.body.error]).toEqual([404, 'NOT_FOUND'])
  })

  it('logout needs neither a body nor a Content-Type, and ignores both', async () => {
    for (const [body, contentType] of [
      ['x', 'text/plain'],
      ['{', 'application/json'],
      [undefined, undefined],
    ]) {
      const answer = await send(world.system.baseUrl, 'POST /auth/logout', {
        body,
        headers: { ...tenant.headers(), 'content-type': contentType },
      })
      expect([answer.status, answer.body.error]).toEqual([401, 'AUTH_TOKEN_INVALID'])
    }
  })
})

it('no input causes a 500', async () => {
  const anything = fc.oneof(fc.json({ maxDepth: 3 }), fc.string({ unit: 'binary', maxLength: 300 }))
  const fields = fc.record(
    {
      email: fc.oneof(fc.constant(email), fc.emailAddress(), fc.string({ unit: 'binary' })),
      password: fc.string({ unit: 'binary', maxLength: 200 }),
      code: fc.oneof(fc.string({ minLength: 6, maxLength: 6 }), fc.integer()),
      newPassword: fc.string({ unit: 'grapheme' }),
      refreshToken: fc.base64String(),
      query: fc.constantFrom('{ jwks { keys { kid } } }', 'mutation { logout { message } }', '{'),
      variables: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
    },
    { requiredKeys: [] },
  )
  const bodies = fc.oneof(
    anything,
    fields.map((object) => JSON.stringify(object)),
  )
  const headerText = fc.stringMatching(/^[\x21-\x7e]{0,40}$/)
  const request = fc.record({
    path: fc.constantFrom(...Object.values(operations).map(({ path }) => path), 'graphql'),
    body: bodies,
    authorization: headerText,
    environment: fc.oneof(fc.constant('master'), headerText),
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ path, body, authorization, environment }) => {
      const answer = await send(world.system.baseUrl, `POST /auth/${path}`, {
        body,
        headers: tenant.headers({ headers: { authorization, environment } }),
      })
      expect(answer.status).toBeLessThan(500)
      expect(answer.status).toBeGreaterThanOrEqual(200)
      if (answer.status >= 400) expect(problemOf(answer).error).toEqual(expect.any(String))
    }),
    { numRuns: propertyRuns(300) },
  )
})
