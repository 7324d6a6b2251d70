import { expect, it } from '@jest/globals'
import { Surehook } from '@surehook/client'
import { exitCodes, Failure, Unreachable } from '../cli/command.ts'
import { explained } from './explain-error.ts'

const baseUrl = 'https://surehook.example.com'

async function failureOf(fetch: typeof globalThis.fetch): Promise<unknown> {
  const options = { baseUrl, projectId: 'shop', token: 'mt_x', fetch, maxRetries: 0 }
  const failure = new Surehook(options).webhooks.list().catch((err: unknown) => err)
  return explained(await failure, baseUrl)
}

it('names each field and the request', async () => {
  const problem = {
    error: 'VALIDATION_ERROR',
    message: 'The request is not valid',
    violations: [
      { field: 'url', message: 'must be https' },
      { field: 'filter.n', message: 'unknown operator' },
    ],
  }
  const headers = { 'x-request-id': 'r1' }
  const failure = await failureOf(async () => Response.json(problem, { status: 400, headers }))
  expect(failure).toBeInstanceOf(Failure)
  expect(failure).toMatchObject({
    message:
      '400 VALIDATION_ERROR: The request is not valid\n  url: must be https\n  filter.n: unknown operator\n  request r1',
    exitCode: exitCodes.wrong,
    facts: {
      error: 'VALIDATION_ERROR',
      status: 400,
      requestId: 'r1',
      violations: problem.violations,
    },
  })
})

it('says that nobody answers', async () => {
  const failure = await failureOf(async () => {
    throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
  })
  expect(failure).toBeInstanceOf(Unreachable)
  expect(failure).toMatchObject({
    message: expect.stringMatching(/^https:\/\/surehook.* cannot be reached: connect ECONNREFUSED/),
    exitCode: exitCodes.unreachable,
  })
})

it('leaves other errors as they are', () => {
  const err = new Error('a fault of the command')
  expect(explained(err, baseUrl)).toBe(err)
})
