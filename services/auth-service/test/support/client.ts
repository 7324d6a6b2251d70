import type { Environment, ManagementToken } from '@surehook/contracts/http/admin/admin'
import type { Problem } from '@surehook/contracts/problem'
import { adminToken } from './under-test.ts'

// Every field that an answer may have; the tests say which ones they expect.
export type Body = Environment &
  ManagementToken &
  Problem & { token: string } & {
    projects: { id: string; environments: string[]; createdAt: string }[]
    tokens: ManagementToken[]
    nextCursor: string | null
  }
export type Answer = { status: number; text: string; body: Body }

/** Calls `/auth/admin/projects…` with the administration token, or with another one or none. */
export async function call(
  api: string,
  request: string,
  options: { body?: unknown; authorization?: string | null } = {},
): Promise<Answer> {
  const { body, authorization = `Bearer ${adminToken}` } = options
  const [method = 'GET', path = ''] = request.split(' ')
  const response = await fetch(`${api}/auth/admin/projects${path}`, {
    method,
    headers: {
      ...(authorization === null ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, text, body: (text === '' ? {} : JSON.parse(text)) as Body }
}
