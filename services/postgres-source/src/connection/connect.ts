import { ofConnection } from '@surehook/change-capture/slot/slot-connection-error'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import type { AddressGuard } from '@surehook/service-kit/outbound/address-guard'
import { Client, type ClientConfig } from 'pg'
import { type SourceAccess, urlContext } from '../source-row.ts'
import type { MessageLimit } from './limit-messages.ts'
import { sourceClient } from './source-client.ts'
import { parseSourceUrl } from './source-url.ts'

export type Connect = (row: SourceAccess) => Promise<Client>

export type ConnectDeps = { box: SecretBox; guard: AddressGuard; limit: MessageLimit }

/** How to connect to the database of a source. */
export function connectionOf(row: SourceAccess, { box, guard, limit }: ConnectDeps): ClientConfig {
  const parsed = parseSourceUrl(box.open(row.url, urlContext(row.id)))
  if ('fault' in parsed) throw new Error(`The stored URL ${parsed.fault}`)
  const { address } = parsed
  const owner = `${row.project_id}/${row.environment}`
  return sourceClient({ address, ca: row.ca ?? undefined, owner, limit }, guard)
}

export const createConnect =
  (deps: ConnectDeps): Connect =>
  async (row) => {
    const client = marked(new Client(connectionOf(row, deps)))
    // A lost connection fails the next query. Without a listener it would end the process.
    client.on('error', () => undefined)
    await ofConnection(client.connect())
    return client
  }

/** Its statements reject with errors that are told from those of Surehook's own database. */
function marked(client: Client): Client {
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
  return Object.assign(client, { query: (...args: unknown[]) => ofConnection(query(...args)) })
}
