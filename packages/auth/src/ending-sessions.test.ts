import { afterEach, expect, it } from '@jest/globals'
import {
  closePages,
  credentials,
  failureOf,
  json,
  lost,
  pair,
  refreshed,
  refused,
  signedIn,
  writableStorage,
} from '../test/auth-page.ts'
import { user } from '../test/tab-world.ts'
import { ConnectionError, SignedOutError } from './index.ts'

afterEach(closePages)

const ended = () => json(200, {})
const logout = { request: 'POST https://hooks.example/auth/logout', keepalive: true }
const refresh = { request: 'POST https://hooks.example/auth/refresh-token', keepalive: true }
const atRest = () => new Promise(setImmediate)

it('signs out at once, and ends the session with a new token if the old one has expired', async () => {
  const { auth, sent } = await signedIn([refused('AUTH_TOKEN_EXPIRED'), refreshed(), json(200, {})])
  const done = auth.logout()
  await atRest()
  expect(await auth.currentUser()).toBeNull()
  await done
  expect(sent.at(-1)?.headers['authorization']).toBe(`Bearer ${pair('1').accessToken}`)
  await auth.logout()
  expect(sent).toHaveLength(3)
})

it('a logout is done if the session is over, and rejects if the service is away', async () => {
  const over = await signedIn([refused(), refused()])
  expect(await over.auth.logout()).toBeUndefined()
  const away = await signedIn([lost()], { maxRetries: 0 })
  expect(await failureOf(away.auth.logout())).toBeInstanceOf(ConnectionError)
  expect(await away.auth.currentUser()).toBeNull()
})

it('a logout outlives its page, if the service or the device says that the token has expired', async () => {
  const unknown = await signedIn([refused('AUTH_TOKEN_EXPIRED'), refreshed(), ended()])
  await unknown.auth.logout()
  expect(unknown.sent).toMatchObject([logout, refresh, logout])
  const { storage, editSession } = writableStorage()
  const known = await signedIn([refreshed(), ended()], { storage })
  editSession({ since: 0 })
  await known.auth.logout()
  expect(known.sent).toMatchObject([refresh, logout])
})

it('an abort ends a logout in each of its requests', async () => {
  const { storage, editSession } = writableStorage()
  const stop = new AbortController()
  const reason = new Error('enough')
  const abort = () => {
    stop.abort(reason)
    return refreshed()
  }
  const { auth, sent } = await signedIn([abort, ended()], { storage })
  editSession({ since: 0 })
  expect(await failureOf(auth.logout({ signal: stop.signal }))).toBe(reason)
  expect(sent).toMatchObject([refresh])
})

it('a logout goes out although the object is closed at once', async () => {
  const { storage } = writableStorage()
  const { auth, sent } = await signedIn([ended()], { storage })
  const loggedOut = auth.logout()
  await auth.close()
  await loggedOut
  expect(sent).toMatchObject([logout])
  expect(await auth.currentUser()).toBeNull()
})

it('a login ends the session that it replaces, and does not care whether that succeeds', async () => {
  for (const answer of [ended(), lost()]) {
    const newLogin = json(200, { ...pair('1'), user })
    const { auth, sent } = await signedIn([newLogin, answer], { maxRetries: 0 })
    expect(await auth.login(credentials)).toEqual(user)
    await atRest()
    expect(sent).toMatchObject([{ body: JSON.stringify(credentials) }, logout])
    expect(sent[1]?.headers['authorization']).toBe(`Bearer ${pair('0').accessToken}`)
    expect(await auth.currentUser()).toEqual(user)
  }
})

/** While a request runs, a login in another tab: of this user. */
async function overtaken(id: string) {
  const { storage, editSession } = writableStorage()
  const signInElsewhere = () => {
    editSession({ id: 'another', user: { ...user, id }, ...pair('1') })
    return refused()
  }
  return signedIn([signInElsewhere, json(200, user)], { storage })
}

it('repeats no request with the token of another user', async () => {
  const fetching = await overtaken('v')
  expect((await fetching.auth.fetch('/gw/x')).status).toBe(401)
  expect(fetching.sent).toHaveLength(1)
  const calling = await overtaken('v')
  expect(await failureOf(calling.auth.me())).toBeInstanceOf(SignedOutError)
  expect(calling.sent).toHaveLength(1)
})

it('repeats a request with the token of a new login of the same user', async () => {
  const fetching = await overtaken('u')
  expect((await fetching.auth.fetch('/gw/x')).status).toBe(200)
  const calling = await overtaken('u')
  expect(await calling.auth.me()).toEqual(user)
  expect(calling.sent[1]?.headers['authorization']).toBe(`Bearer ${pair('1').accessToken}`)
})
