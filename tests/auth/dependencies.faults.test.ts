import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { send } from '@surehook/scripts/client/call'
import type { ComponentName } from '@surehook/scripts/local-stack/component'
import { allReady } from '../support/all-ready.ts'
import { type AuthTenant, newEmail, password } from '../support/auth/auth-tenant.ts'
import {
  type AuthTransport,
  type OperationName,
  transports,
} from '../support/auth/auth-transports.ts'
import { openAuthWorldWithStack } from '../support/auth/auth-world.ts'
import { eventually } from '../support/world.ts'

let world: Awaited<ReturnType<typeof openAuthWorldWithStack>>

beforeAll(async () => {
  world = await openAuthWorldWithStack()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

function part(name: ComponentName) {
  const process = world.system.stack.processes[name]
  if (process === undefined) throw new Error(`${name} does not run`)
  return process
}

const newTenant = (transport: AuthTransport) =>
  world.tenant(transport, { auth: { emailVerification: false } })

/** Calls every operation in a way that succeeds or breaks a rule. */
async function callEverything(
  tenant: AuthTenant,
  session: { accessToken: string; refreshToken: string },
) {
  const { accessToken, refreshToken } = session
  const email = newEmail()
  const calls: [OperationName, Record<string, unknown>][] = [
    ['signup', { email, password }],
    ['confirmSignup', { email, code: '123456' }],
    ['resendCode', { email }],
    ['login', { email, password }],
    ['recoverPassword', { email }],
    ['resetPassword', { email, newPassword: password, code: '123456' }],
    ['refreshToken', { refreshToken }],
    ['logout', {}],
  ]
  const outcomes = await Promise.all(
    calls.map(async ([operation, args]) => {
      const { code, retryAfter } = await tenant.call(operation, args, { accessToken })
      return `${operation} ${code} ${(retryAfter ?? 0) > 0}`
    }),
  )
  return new Set(outcomes.map((outcome) => outcome.replace(/^\w+ /, '')))
}

async function worksAgain(tenant: AuthTenant, email: string): Promise<void> {
  await allReady(world.system)
  const login = () => tenant.call('login', { email, password })
  await eventually(login, ({ code }) => code === 'ok')
}

describe.each(transports)('over %s', (_name, transport) => {
  it('while Redis is down everything that needs it is 503, and no token is accepted', async () => {
    const tenant = await newTenant(transport)
    const { email, session } = await tenant.newUser()
    const ended = await tenant.login(email)
    await tenant.do('logout', {}, { accessToken: ended.accessToken })

    await part('redis').kill('SIGKILL')
    try {
      expect(await callEverything(tenant, session)).toEqual(new Set(['SERVICE_UNAVAILABLE true']))
      const ofTheDead = await tenant.call('logout', {}, { accessToken: ended.accessToken })
      expect(ofTheDead.code).toBe('SERVICE_UNAVAILABLE')
      expect((await tenant.jwks()).code).toBe('ok')
      expect((await send(world.system.baseUrl, 'GET /healthz')).status).toBe(200)
    } finally {
      await part('redis').restart()
    }

    await worksAgain(tenant, email)
    for (const use of ['logout', 'refreshToken'] as const) {
      const { accessToken, refreshToken } = ended
      const outcome = await tenant.call(use, use === 'logout' ? {} : { refreshToken }, {
        accessToken,
      })
      expect(outcome.code).toBe('AUTH_TOKEN_INVALID')
    }
    await tenant.do('refreshToken', { refreshToken: session.refreshToken })
    await tenant.do('logout', {}, { accessToken: session.accessToken })
  })

  it('while PostgreSQL is down everything is 503', async () => {
    const tenant = await newTenant(transport)
    const { email, session } = await tenant.newUser()
    await part('postgres').kill('SIGKILL')
    try {
      expect(await callEverything(tenant, session)).toEqual(new Set(['SERVICE_UNAVAILABLE true']))
    } finally {
      await part('postgres').restart()
    }
    await worksAgain(tenant, email)
    await tenant.do('refreshToken', { refreshToken: session.refreshToken })
  })
})
