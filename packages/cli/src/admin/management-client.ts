import { createManagementToken, deleteManagementToken } from '@surehook/contracts/http/admin/admin'
import { Failure } from '../cli/command.ts'
import type { Platform } from '../lib/platform-client.ts'
import { visible } from '../output/visible.ts'
import { callOperation } from './call-operation.ts'

/**
 * Client of the data and webhook APIs with its own management token. Disposing the client revokes
 * the token.
 */
export type ManagementClient = AsyncDisposable & {
  /**
   * `rest('POST orders', { … })`: the path is relative to `/gw/api/rest/`. Throws unless the status
   * is 2xx.
   */
  rest<T>(request: string, body?: unknown): Promise<T>
}

export type ManagedEnvironment = { project: string; environment: string }

const timeoutMs = 20_000

export async function openManagementClient(
  platform: Platform,
  { project, environment }: ManagedEnvironment,
  /** Name of the token in the administration, which states its purpose. */
  name: string,
): Promise<ManagementClient> {
  const { id, token } = await callOperation(platform, createManagementToken, {
    params: { project },
    body: { name },
  })
  return {
    rest: async <T>(request: string, body?: unknown) => {
      const [method = 'GET', path = ''] = request.split(' ')
      const response = await fetch(`${platform.baseUrl}/gw/api/rest/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'x-project-id': project,
          environment,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await response.text()
      if (!response.ok) throw new Failure(visible(`${request}: ${response.status} ${text}`))
      return (text === '' ? undefined : JSON.parse(text)) as T
    },
    async [Symbol.asyncDispose]() {
      await callOperation(platform, deleteManagementToken, { params: { project, id } })
    },
  }
}
