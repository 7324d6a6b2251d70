import { type RequestOptions, type Surehook, SurehookError } from '@surehook/client'
import type { ManagementRight } from '@surehook/contracts/rights'

/**
 * Asks the platform what the token may be used for in the environment. No request changes anything.
 * Rejects with the refusal if the token may do nothing of it.
 */
export async function rightsOf(
  surehook: Surehook,
  request: RequestOptions,
): Promise<ManagementRight[]> {
  const asked: Record<ManagementRight, () => Promise<unknown>> = {
    // No table has this name. Any answer but a refusal of the token means that it was accepted.
    records: () => surehook.table('-').list({ limit: 1 }, request),
    sources: () => surehook.sources.list(request),
    tables: () => surehook.tables.list(request),
    users: () => surehook.admin.users.list({ limit: 1 }, request),
    webhooks: () => surehook.webhooks.list({ limit: 1 }, request),
  }
  const rights: ManagementRight[] = []
  let refusal: unknown
  for (const [right, ask] of Object.entries(asked) as [ManagementRight, () => Promise<unknown>][]) {
    const refused = await refusalOf(right, ask)
    if (refused === undefined) rights.push(right)
    else refusal ??= refused
  }
  if (rights.length === 0) throw refusal
  return rights
}

/** Resolves with the refusal for lack of a right. Rejects with any other error. */
async function refusalOf(
  right: ManagementRight,
  ask: () => Promise<unknown>,
): Promise<SurehookError | undefined> {
  try {
    await ask()
    return undefined
  } catch (err) {
    if (!(err instanceof SurehookError)) throw err
    if (err.code === 'TABLE_NOT_FOUND') return undefined
    if (err.code === 'FORBIDDEN') return err
    // The operator may have closed the paths of administration, which `users` is about.
    if (right === 'users' && err.code === 'UNEXPECTED_RESPONSE') return err
    throw err
  }
}
