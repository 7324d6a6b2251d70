import { describe, expect, it } from '@jest/globals'
import { defaultAuthSettings } from '@surehook/contracts/http/admin/auth-settings'
import { AppError, unavailable } from '@surehook/service-kit/errors'
import { refuseGraphQL } from '@surehook/service-kit/graphql/graphql-transport'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { GraphQLError, getIntrospectionQuery } from 'graphql'
import type { AuthApi } from '../../use-cases/auth-api.ts'
import type { Call } from '../../use-cases/call.ts'
import { createGraphQL } from './graphql-endpoint.ts'

const user = {
  id: '0198c5e0-11d4-7a52-b6a5-0f1c4cbe8a10',
  email: 'ada@example.com',
  firstName: '',
  lastName: '',
  roles: [],
}
const tenant = { projectId: 'p', environment: 'master', settings: defaultAuthSettings }
const call = { tenant, client: { address: '192.0.2.1' } } as Call
const log = createLogger('test', 'silent')

type Result = {
  data?: Record<string, unknown>
  errors?: { message: string; path?: string[]; extensions: object }[]
}

const noFaults = async () => []
const ruleFaults = { signupFaults: noFaults, resetFaults: noFaults, changeFaults: noFaults }

/** Runs the request against these use cases; calling any other one fails the test. */
async function execute(
  api: Partial<AuthApi>,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<Result> {
  const endpoint = createGraphQL({ ...ruleFaults, ...api } as AuthApi)
  const text = await endpoint.execute({ query, variables }, call, log).then(
    (answer) => answer.text,
    (err: unknown) => refuseGraphQL(err, log),
  )
  return JSON.parse(text) as Result
}

const codesOf = ({ errors = [] }: Result) =>
  errors.map(({ extensions }) => (extensions as { code: string }).code)

const logins = (count: number) =>
  Array.from(
    { length: count },
    (_, i) => `l${i}: login(email: "ada@example.com", password: "x${i}") { accessToken }`,
  ).join(' ')

describe('the GraphQL transport', () => {
  it('calls the use case with the arguments as REST would read them', async () => {
    const seen: unknown[] = []
    const login: AuthApi['login'] = async (body, of) => {
      seen.push(body, of.tenant)
      return { accessToken: 'a', refreshToken: 'r', user }
    }
    const query = `mutation ($p: String!) { login(email: " Ada@Example.com ", password: $p) { user { id email } } }`
    const result = await execute({ login }, query, { p: 'secret' })
    expect(result).toEqual({ data: { login: { user: { id: user.id, email: user.email } } } })
    expect(seen).toEqual([{ email: 'ada@example.com', password: 'secret' }, tenant])
  })

  it.each([
    [
      'lockedUntil',
      new AppError('AUTH_ACCOUNT_LOCKED', 'x', { lockedUntil: new Date(0) }),
      { code: 'AUTH_ACCOUNT_LOCKED', lockedUntil: '1970-01-01T00:00:00.000Z' },
    ],
    [
      'retryAfter',
      new AppError('RATE_LIMIT_EXCEEDED', 'x', { retryAfterS: 6.2 }),
      { code: 'RATE_LIMIT_EXCEEDED', retryAfter: 7 },
    ],
    [
      'retryAfter of what is away',
      unavailable('redis'),
      { code: 'SERVICE_UNAVAILABLE', retryAfter: 1 },
    ],
    ['nothing of what broke', new Error('secret'), { code: 'INTERNAL_ERROR' }],
    [
      'nothing of what broke inside GraphQL',
      new Error('x', { cause: new GraphQLError('secret') }),
      { code: 'INTERNAL_ERROR' },
    ],
  ])('reports %s in extensions', async (_what, thrown, extensions) => {
    const login: AuthApi['login'] = () => Promise.reject(thrown)
    const result = await execute({ login }, `mutation { ${logins(1)} }`)
    expect(result.data).toEqual({ l0: null })
    expect(result.errors).toMatchObject([{ path: ['l0'], extensions }])
    expect(result.errors?.[0]?.extensions).toEqual(extensions)
    expect(JSON.stringify(result)).not.toContain('secret')
  })

  it('continues with the other fields after one that fails', async () => {
    let calls = 0
    const login: AuthApi['login'] = async () => {
      if (++calls === 2) throw new AppError('AUTH_INVALID_CREDENTIALS')
      return { accessToken: `${calls}`, refreshToken: 'r', user }
    }
    const result = await execute({ login }, `mutation { ${logins(3)} }`)
    expect(result.data).toEqual({ l0: { accessToken: '1' }, l1: null, l2: { accessToken: '3' } })
    expect(codesOf(result)).toEqual(['AUTH_INVALID_CREDENTIALS'])
  })

  it('names each fault of the arguments', async () => {
    const query = `mutation { signup(email: "x", password: "p", firstName: "a\\u0000", roleId: "1") { userId } }`
    const result = await execute({}, query)
    const violations = ['email', 'firstName', 'roleId'].map((field) => ({ field }))
    expect(result.errors).toMatchObject([{ extensions: { violations } }])
  })

  it.each([
    ['query', 'mutation {'],
    ['query', '{ secrets }'],
    ['query', 'query a { jwks { __typename } } query b { __typename }'],
    ['password', 'mutation { login(email: "a@b.example") { accessToken } }'],
    ['otp', 'mutation { login(email: "a@b.example", password: "x", otp: 1) { accessToken } }'],
    [
      'code',
      'mutation ($code: String!) { confirmSignup(email: "a@b.example", code: $code) { accessToken } }',
    ],
  ])('is a violation of %s: %s', async (field, query) => {
    const result = await execute({}, query, { code: 123456 })
    expect(result.errors).toMatchObject([
      { extensions: { code: 'VALIDATION_ERROR', violations: [{ field }] } },
    ])
  })

  it.each([
    ['no tenant', new AppError('AUTH_NOT_CONFIGURED', 'x'), { code: 'AUTH_NOT_CONFIGURED' }],
    ['what is away', unavailable('x'), { code: 'SERVICE_UNAVAILABLE', retryAfter: 1 }],
    ['what broke', new Error('secret'), { code: 'INTERNAL_ERROR' }],
  ])('refuses a request for %s as one error', (_what, thrown, extensions) => {
    const text = refuseGraphQL(thrown, log)
    expect(JSON.parse(text)).toEqual({ errors: [{ message: expect.any(String), extensions }] })
    expect(text).not.toContain('secret')
  })

  describe('bounds what one request may ask', () => {
    const login: AuthApi['login'] = async () => ({ accessToken: 'a', refreshToken: 'r', user })
    const nested =
      '{ __schema { types { fields { type { ofType { ofType { ofType { ofType { name } } } } } } } } }'
    const bomb = (fragments: number) => {
      const spreads = Array.from(
        { length: fragments },
        (_, i) => `fragment f${i} on User { ...f${i + 1} ...f${i + 1} }`,
      )
      return `${loginWith('...f0')} ${spreads.join(' ')} fragment f${fragments} on User { id }`
    }
    const loginWith = (selection: string) =>
      `mutation { login(email: "a@b.example", password: "x") { user { ${selection} } } }`

    it('accepts the requests of people and tools', async () => {
      expect(codesOf(await execute({ login }, `mutation { ${logins(50)} }`))).toEqual([])
      expect(codesOf(await execute({}, nested))).toEqual([])
      expect(codesOf(await execute({}, getIntrospectionQuery()))).toEqual([])
      expect(codesOf(await execute({ login }, bomb(10)))).toEqual([])
    })

    const beside = (names: readonly string[], selection: string) =>
      names.map((name) => `${name}: ${selection}`).join(' ')
    const letters = 'abcdefghijklmnopqrstuvwxyz'.split('')
    const schemas = beside(letters, '__schema { types { fields { name } } }')
    const fragment = (i: number) => `fragment f${i} on User { id }`

    // Each request also has a fault that only validation finds: no fault in the answer proves that
    // validation did not run.
    it.each([
      ['more than 60 aliases', `mutation { none ${logins(70)} }`],
      ['more than 60 aliases', `mutation { ...m } fragment m on None { ${logins(70)} }`],
      ['more than 60 aliases', `mutation { none } fragment m on Mutation { ${logins(70)} }`],
      ['a field more than 5 times: id', loginWith(`none ${'id '.repeat(6)}`)],
      ['more than 5 times: kid', `{ none ${'jwks { keys { kid kid } } '.repeat(3)} }`],
      ['more than 5 times: jwks', `{${'jwks{keys{none}} '.repeat(100)}}`],
      [
        'more than 5 times: id',
        loginWith(`none ...f id id id id id`) + fragment(0).replace('f0', 'f'),
      ],
      [
        'more than 20 operations',
        `{ none } ${Array.from({ length: 20 }, (_, i) => fragment(i)).join(' ')}`,
      ],
      ['more than 20 operations', bomb(30)],
      ['__schema more than once', `{ none ${schemas} }`],
      ['costs more', `{ none ${beside(letters, '__type(name: "User") { name }')} }`],
      ['token', loginWith('none id '.repeat(1_500))],
      ['token', `{${'jwks{keys{none}} '.repeat(284)}}`],
      ['deeper than 6 levels', `mutation ${'{ none '.repeat(8)}${'}'.repeat(8)}`],
    ])('%s', async (message, query) => {
      const result = await execute({}, query)
      expect(codesOf(result)).toEqual(['VALIDATION_ERROR'])
      expect(result.errors?.[0]?.message).toContain(message)
    })

    it('lets GraphQL report what GraphQL refuses', async () => {
      const inItself = `${loginWith('...f')} fragment f on User { ...f }`
      expect((await execute({}, inItself)).errors?.[0]?.message).toContain('Cannot spread')
    })
  })

  it.each([
    [
      'mutation ($p: String!) { login(email: "a@b.example", password: $p) { accessToken } }',
      { p: [424242] },
    ],
    [
      'mutation ($p: String!) { login(email: "a@b.example", password: $p) { accessToken } }',
      { p: { at: 'x; at "424242"' } },
    ],
    ['mutation { login(email: "a@b.example", password: 424242) { accessToken } }', {}],
    ['mutation { login(email: "a@b.example", password: {x: 424242}) { accessToken } }', {}],
    ['mutation { login(email: "a@b.example", password: S424242) { accessToken } }', {}],
    ['mutation { login(email: "a@b.example", "424242") { accessToken } }', {}],
    ['mutation { login(email: "a@b.example", """x424242""") { accessToken } }', {}],
    ['mutation { login(email: "a@b.example", password: ) 424242', {}],
  ])('does not repeat a value: %s %j', async (query, variables) => {
    const result = await execute({}, query, variables)
    expect(result.errors).toMatchObject([{ extensions: { code: 'VALIDATION_ERROR' } }])
    expect(JSON.stringify(result)).not.toContain('424242')
  })

  it('reports the name and the kind of a value that does not fit', async () => {
    const query =
      'mutation ($p: String!) { login(email: "a@b.example", password: $p) { accessToken } }'
    const [error] = (await execute({}, query, { p: 7 })).errors ?? []
    expect(error?.message).toBe('Variable "$p" is not a valid String!')
    const [literal] =
      (await execute({}, query.replace(': $p', ': 7').replace('($p: String!)', ''))).errors ?? []
    expect(literal?.message).toBe('String cannot represent a non string value')
  })
})
