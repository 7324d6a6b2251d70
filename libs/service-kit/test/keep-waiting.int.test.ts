import { afterEach, describe, expect, it } from '@jest/globals'
import { AppError } from '@surehook/service-kit/errors'
import { type Handle, mount } from '@surehook/service-kit/http/mount'
import { closeServers, getThing, id, serve } from './things.ts'

afterEach(closeServers)

const everyMs = 10
const get = async (handle: Handle<typeof getThing>) =>
  fetch(`${await serve((router) => mount(router, getThing, handle))}/things/${id}`)

describe('keepWaiting', () => {
  it('sends white space until the answer, which is still valid JSON', async () => {
    let answer: () => void = () => undefined
    const asked = new Promise<void>((resolve) => {
      answer = resolve
    })
    // The client receives the head before the response is ready.
    const response = await get(async (_, ctx) => {
      using _waiting = ctx.keepWaiting(everyMs)
      await asked
      return { id }
    })
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('x-request-id')).toEqual(expect.any(String))
    answer()
    const text = await response.text()
    expect(text).toMatch(/^ +\{/)
    expect(JSON.parse(text)).toEqual({ id })
  })

  it('does not change an immediate answer or error', async () => {
    const quick = await get((_, ctx) => {
      using _waiting = ctx.keepWaiting(60_000)
      return { id }
    })
    expect(await quick.text()).toBe(JSON.stringify({ id }))
    const refused = await get((_, ctx) => {
      using _waiting = ctx.keepWaiting(60_000)
      throw new AppError('CONFLICT')
    })
    expect([refused.status, await refused.json()]).toEqual([409, { error: 'CONFLICT' }])
  })

  it('cuts an answer that fails after it has begun', async () => {
    let fail: () => void = () => undefined
    const begun = new Promise<void>((resolve) => {
      fail = resolve
    })
    const failing = await get(async (_, ctx) => {
      using _waiting = ctx.keepWaiting(everyMs)
      await begun
      throw new AppError('CONFLICT')
    })
    fail()
    await expect(failing.text()).rejects.toThrow()
  })
})
