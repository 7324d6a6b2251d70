import { expect, it } from '@jest/globals'
import { codeIn, takeCode } from './code-in-address.ts'
import { CodeSignIn, type CodeSignInDeps } from './code-sign-in.ts'
import { type Session, SessionKeeper } from './session.ts'

const session: Session = { kind: 'operator', token: 'admin' }

function newKeeper() {
  const store = { getItem: () => null, setItem: () => {}, removeItem: () => {} }
  return new SessionKeeper(store)
}

const newSignIn = (keeper: SessionKeeper, redeem: CodeSignInDeps['redeem'], may = true) =>
  new CodeSignIn(keeper, { redeem, mayReplaceSession: () => may })

it.each([
  ['#code=abc-_', 'abc-_'],
  ['#code=', null],
  ['#section', null],
  ['', null],
])('reads %j as the code %j', (hash, code) => {
  expect(codeIn(hash)).toBe(code)
})

it('takes the code out of the address, and leaves other addresses alone', () => {
  const written: unknown[] = []
  const history = { state: { n: 1 }, replaceState: (...args: unknown[]) => void written.push(args) }
  const place = { pathname: '/console/webhooks', search: '?a=1' }
  expect(takeCode({ ...place, hash: '#code=abc' }, history)).toBe('abc')
  expect(written).toEqual([[{ n: 1 }, '', '/console/webhooks?a=1']])
  expect(takeCode({ ...place, hash: '#top' }, history)).toBeNull()
  expect(written).toHaveLength(1)
})

it('begins the session of the code, as a form does', async () => {
  const keeper = newKeeper()
  const codes = newSignIn(keeper, async () => session)
  const starting = codes.start('abc')
  expect(codes.current()).toEqual({ status: 'pending' })
  await starting
  expect([codes.current(), keeper.current()]).toEqual([{ status: 'none' }, { session }])
})

it('keeps an earlier session when the code is refused, until the user has seen it', async () => {
  const keeper = newKeeper()
  const error = new Error('used')
  const codes = newSignIn(keeper, () => Promise.reject(error))
  keeper.start(session, { keepInTab: false })
  await codes.start('abc')
  expect(codes.current()).toEqual({ status: 'failed', error })
  expect(keeper.current()).toEqual({ session })
  codes.forget()
  expect(codes.current()).toEqual({ status: 'none' })
})

it('forgets a refusal when somebody signs in by form', async () => {
  const keeper = newKeeper()
  const codes = newSignIn(keeper, () => Promise.reject(new Error('used')))
  await codes.start('abc')
  keeper.start(session, { keepInTab: false })
  expect(codes.current()).toEqual({ status: 'none' })
})

it('leaves a session that began while the code was redeemed', async () => {
  const keeper = newKeeper()
  const codes = newSignIn(keeper, async () => ({ kind: 'operator', token: 'of the code' }))
  const starting = codes.start('abc')
  keeper.start(session, { keepInTab: false })
  await starting
  expect([codes.current(), keeper.current()]).toEqual([{ status: 'none' }, { session }])
})

it('begins the session of the code also when the one before ends meanwhile', async () => {
  const keeper = newKeeper()
  const codes = newSignIn(keeper, async () => session)
  keeper.start({ kind: 'operator', token: 'revoked' }, { keepInTab: false })
  const starting = codes.start('abc')
  keeper.end('The token was refused.')
  await starting
  expect([codes.current(), keeper.current()]).toEqual([{ status: 'none' }, { session }])
})

it('replaces a session only if the user agrees: a stranger may have made the link', async () => {
  const stranger: Session = { kind: 'operator', token: 'of a stranger' }
  const redeemed: string[] = []
  const redeem = async (code: string) => {
    redeemed.push(code)
    return stranger
  }
  const keeper = newKeeper()
  keeper.start(session, { keepInTab: false })
  const refused = newSignIn(keeper, redeem, false)
  await refused.start('abc')
  expect([refused.current(), keeper.current(), redeemed]).toEqual([
    { status: 'none' },
    { session },
    [],
  ])
  await newSignIn(keeper, redeem, true).start('abc')
  expect(keeper.current()).toEqual({ session: stranger })
})

it('asks nobody who has no session', async () => {
  const keeper = newKeeper()
  await newSignIn(keeper, async () => session, false).start('abc')
  expect(keeper.current()).toEqual({ session })
})
