import { randomBytes } from 'node:crypto'
import {
  createManagementToken,
  deleteManagementToken,
  putEnvironment,
} from '@surehook/contracts/http/admin'
import { callOperation } from '../admin/call-operation.ts'
import { Failure } from '../cli/command.ts'
import type { Door } from '../lib/door.ts'

/** A project of its own, seen with a management token; disposing revokes that. */
export type DemoTenant = AsyncDisposable & {
  readonly projectId: string
  /** `rest('POST orders', { … })`: below `/gw/api/rest/`. Throws unless it is answered 2xx. */
  rest<T>(request: string, body?: unknown): Promise<T>
}

const environment = 'master'
const timeoutMs = 20_000

export async function openDemoTenant(door: Door): Promise<DemoTenant> {
  const projectId = `demo-${randomBytes(4).toString('hex')}`
  const params = { project: projectId, environment }
  await callOperation(door, putEnvironment, { params, body: {} })
  const { id, token } = await callOperation(door, createManagementToken, {
    params: { project: projectId },
    body: { name: 'surehook demo' },
  })
  return {
    projectId,
    rest: async <T>(request: string, body?: unknown) => {
      const [method = 'GET', path = ''] = request.split(' ')
      const response = await fetch(`${door.baseUrl}/gw/api/rest/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'x-project-id': projectId,
          environment,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await response.text()
      if (!response.ok) throw new Failure(`${request}: ${response.status} ${text}`)
      return (text === '' ? undefined : JSON.parse(text)) as T
    },
    async [Symbol.asyncDispose]() {
      await callOperation(door, deleteManagementToken, { params: { project: projectId, id } })
    },
  }
}
