import { randomBytes } from 'node:crypto'
import { askPort } from '../lib/ports.ts'
import { asPostgresFlags, postgresSettings } from '../local-stack/postgres-settings.ts'
import type { Address, ContainerSpec } from './container-spec.ts'

const password = randomBytes(18).toString('hex')

export function postgresContainer({ host, port }: Address): ContainerSpec {
  return {
    port: 5432,
    env: {
      POSTGRES_PASSWORD: password,
      POSTGRES_DB: 'surehook',
      POSTGRES_INITDB_ARGS: '--encoding=UTF8 --locale=C --no-sync',
    },
    command: ['postgres', ...asPostgresFlags(postgresSettings)],
    isReady: acceptsConnections,
    readyTimeoutMs: 60_000,
    url: `postgres://postgres:${password}@${host}:${port}/surehook`,
  }
}

/**
 * Returns whether the server accepts connections: it answers a start-up message with an error while
 * it starts or recovers, and otherwise with an authentication request.
 */
async function acceptsConnections({ host, port }: Address): Promise<boolean> {
  const parameters = Buffer.from('user\0postgres\0database\0surehook\0\0')
  const header = Buffer.alloc(8)
  header.writeInt32BE(header.length + parameters.length)
  header.writeInt32BE(protocolVersion, 4)
  const answer = await askPort(port, Buffer.concat([header, parameters]), host)
  return answer?.toString('latin1', 0, 1) === 'R'
}

const protocolVersion = 0x0003_0000
