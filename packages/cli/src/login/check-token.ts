import { type RequestOptions, type Surehook, SurehookError } from '@surehook/client'

/** Rights of a token that a request without a change can find out. */
export type Right = 'records' | 'tables' | 'webhooks'

/**
 * Asks the platform what the token may be used for in the environment. Rejects with the refusal if
 * it may do nothing of it.
 */
export async function rightsOf(surehook: Surehook, request: RequestOptions): Promise<Right[]> {
  const asked: Record<Right, () => Promise<unknown>> = {
    // No table has this name. Any answer but a refusal of the token means that it was accepted.
    records: () => surehook.table('-').list({ limit: 1 }, request),
    tables: () => surehook.tables.list(request),
    webhooks: () => surehook.webhooks.list({ limit: 1 }, request),
  }
  const rights: Right[] = []
  let refusal: unknown
  for (const [right, ask] of Object.entries(asked)) {
    const refused = await refusalOf(ask)
    if (refused === undefined) rights.push(right as Right)
    else refusal ??= refused
  }
  if (rights.length === 0) throw refusal
  return rights
}

/** Resolves with the refusal for lack of a right. Rejects with any other error. */
async function refusalOf(ask: () => Promise<unknown>): Promise<SurehookError | undefined> {
  try {
    await ask()
    return undefined
  } catch (err) {
    if (!(err instanceof SurehookError)) throw err
    if (err.code === 'TABLE_NOT_FOUND') return undefined
    if (err.code === 'FORBIDDEN') return err
    throw err
  }
}
