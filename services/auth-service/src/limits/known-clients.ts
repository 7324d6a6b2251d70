import { createHash } from 'node:crypto'
import type { ExpiryDeletion } from '@surehook/service-kit/postgres/delete-expired'
import type { Pool, PoolClient } from 'pg'

type Client = { readonly address: string }

const mostPerUser = 20
const keptFor = '180 days'
const batch = 500
const nobody = '00000000-0000-0000-0000-000000000000'

/** The user has logged in from the client before. Costs the same without a user. */
export async function isKnownClient(
  pool: Pool,
  user: { id: string } | null,
  client: Client,
): Promise<boolean> {
  const { id } = user ?? { id: nobody }
  const { rowCount } = await pool.query({
    name: 'is-known-client',
    text: 'select from known_client where user_id = $1 and client_hash = $2',
    values: [id, hashOf(id, client)],
  })
  return rowCount === 1
}

/** Call it where the user proved to be the owner. The clients seen longest ago are forgotten. */
export async function rememberClient(
  tx: PoolClient,
  { id }: { id: string },
  client: Client,
): Promise<void> {
  await tx.query({
    name: 'remember-client',
    text: `with forgotten as (
             delete from known_client where user_id = $1 and client_hash in (
               select client_hash from known_client where user_id = $1 and client_hash <> $2
                order by seen_at desc offset ${mostPerUser - 1}))
           insert into known_client as k (user_id, client_hash) values ($1, $2)
           on conflict (user_id, client_hash) do update set seen_at = now()
            where k.seen_at < now() - interval '1 day'`,
    values: [id, hashOf(id, client)],
  })
}

const hashOf = (id: string, { address }: Client) =>
  createHash('sha256').update([id, address].join('\0')).digest()

/** A job for `openExpiryDeletion`. */
export const unseenClients: ExpiryDeletion = {
  name: 'known clients',
  async run(pool) {
    const { rowCount } = await pool.query(
      `delete from known_client where (user_id, client_hash) in (
         select user_id, client_hash from known_client where seen_at < now() - interval '${keptFor}'
          order by seen_at limit $1 for update skip locked)`,
      [batch],
    )
    return rowCount === batch
  },
}
