import type { Surehook } from '@surehook/client'
import { adminClientOf, type Platform } from '../lib/platform-client.ts'
import { clientOf } from '../tenant/tenant-client.ts'

/** A client with its own management token. Disposing it revokes the token. */
export type TemporaryClient = AsyncDisposable & { readonly surehook: Surehook }

export type EnvironmentId = { project: string; environment: string }

export async function openTemporaryClient(
  platform: Platform,
  environment: EnvironmentId,
  /** Name of the token in the administration, which states its purpose. */
  name: string,
): Promise<TemporaryClient> {
  const { tokens } = adminClientOf(platform, environment).admin
  const { id, token } = await tokens.create({ name })
  return {
    surehook: clientOf({ baseUrl: platform.baseUrl, ...environment, token }),
    [Symbol.asyncDispose]: () => tokens.delete(id),
  }
}
