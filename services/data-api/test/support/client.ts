import type { Table } from '@surehook/contracts/http/data/tables'
import type { Problem } from '@surehook/contracts/problem'
import type { Tenant } from './under-test.ts'

export type Fields = Record<string, unknown> & { id: string; createdAt: string; updatedAt: string }

// Every field that an answer may have; the tests say which ones they expect.
export type Body = Fields &
  Problem &
  Table & { tables: Table[]; records: Fields[]; nextCursor: string | null }

export type Answer = {
  status: number
  headers: Headers
  text: string
  body: Body
  /** The records, when the answer is an array. */
  list: Fields[]
}
type Headed = Record<string, string | undefined>

export type Client = {
  /** `call('PATCH orders/1', { a: 1 })`; a header given as `undefined` is left out. */
  call(request: string, body?: unknown, headers?: Headed): Promise<Answer>
}

/** Calls the service as `tenant`, under `/api/rest/`. */
export function clientOf(api: string, tenant: Tenant): Client {
  return {
    async call(request, input, headers = {}) {
      const [method = 'GET', path = ''] = request.split(' ')
      const given: Headed = {
        authorization: `Bearer ${tenant.token}`,
        'x-project-id': tenant.projectId,
        environment: tenant.environment,
        'content-type': input === undefined ? undefined : 'application/json',
        ...headers,
      }
      const sent = Object.entries(given).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      )
      const response = await fetch(`${api}/api/rest/${path}`, {
        method,
        headers: sent,
        body: bodyText(input),
      })
      const text = await response.text()
      const body = (text === '' ? {} : JSON.parse(text)) as Body
      const list = Array.isArray(body) ? (body as Fields[]) : []
      return { status: response.status, headers: response.headers, text, body, list }
    },
  }
}

function bodyText(body: unknown): string | null {
  if (body === undefined) return null
  return typeof body === 'string' ? body : JSON.stringify(body)
}

export const fieldsOf = ({ body }: Answer): string[] =>
  (body.violations ?? []).map(({ field }) => field)
