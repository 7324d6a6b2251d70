import type { Source } from '@surehook/contracts/http/sources'
import { type Client, clientOf as clientBelow, headersOf } from '@surehook/scripts/client/call'
import { until } from '@surehook/testing/until'
import type { Tenant } from './under-test.ts'

/** A client that calls the service as `tenant`, below `/api/rest/`. */
export const clientOf = (api: string, tenant: Tenant): Client =>
  clientBelow(`${api}/api/rest/`, headersOf(tenant))

/** Waits until the source `shop` is as wanted, and returns it. */
export async function untilSource(
  { call }: Client,
  isThere: (source: Source) => boolean,
): Promise<Source> {
  const read = async () => (await call<Source>('GET _sources/shop')).body
  await until(async () => isThere(await read()), { what: `the source: ${isThere}` })
  return read()
}
