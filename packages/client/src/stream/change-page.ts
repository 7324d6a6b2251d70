import { SurehookError } from '../errors.ts'
import type { StreamChangesData } from '../generated/webhooks/types.gen.ts'
import type { Query, RequestOptions } from '../transport/operation.ts'
import type { Transport } from '../transport/transport.ts'

export type ChangePageQuery = Omit<Query<StreamChangesData>, 'format'>

/** A change as a webhook carries it, but without a signature. */
export type StreamedChange = {
  /** The position behind this change. */
  cursor: string
  headers: Record<string, string>
  /** The bytes to sign. */
  body: string
}

export type ChangePage = {
  changes: StreamedChange[]
  /** Where the next page begins, also if this one is empty. */
  nextCursor: string
}

/** Reads one page of the stream of changes. */
export async function readChangePage(
  transport: Transport,
  query: ChangePageQuery,
  options?: RequestOptions,
): Promise<ChangePage> {
  const { headers, body } = await transport.exchange<StreamChangesData>(
    {
      method: 'GET',
      url: '/api/rest/_stream',
      query: { ...query, format: 'ndjson' },
      repeat: 'safe',
    },
    options,
  )
  const nextCursor = headers.get('x-next-cursor')
  if (nextCursor !== null && Array.isArray(body)) {
    return { changes: body as StreamedChange[], nextCursor }
  }
  const message = 'The answer is no page of changes: does baseUrl name a Surehook?'
  throw new SurehookError(message, { code: 'UNEXPECTED_RESPONSE' })
}
