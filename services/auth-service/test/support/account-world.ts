import { randomUUID } from 'node:crypto'
import type { AuthSettingsChange } from '@surehook/contracts/http/admin/auth-settings'
import { type MailCatcher, startMailCatcher } from '@surehook/scripts/mail/mail-catcher'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { silent } from '@surehook/testing/database'
import type { Pool } from 'pg'
import type { Config } from '../../src/config.ts'
import { type AuthClient, openAuthClient } from './auth-client.ts'
import { openWorld, type Running, type World } from './under-test.ts'

export type AccountWorld = AsyncDisposable & {
  world: World
  service: Running
  catcher: MailCatcher
  /** The service's own database. */
  database: Pool
  /** Opens a new project, so that tests share no limits and no mails. */
  project(settings?: AuthSettingsChange): Promise<AuthClient>
  startService(change?: Partial<Config>): Promise<Running>
}

export const mailFrom = 'Test <no-reply@test.example>'

/**
 * On a busy machine, the limits of an installation would end a send that the server accepts, and
 * the mail would come twice. The limit of the whole send is 30 s.
 */
export const patientSmtpUrl = (port: number): string =>
  `smtp://127.0.0.1:${port}?greetingTimeout=25000&socketTimeout=25000`

/** Opens the service and a mail server for its mails. */
export async function openAccountWorld(change: Partial<Config> = {}): Promise<AccountWorld> {
  await using opening = new AsyncDisposableStack()
  const world = opening.use(await openWorld())
  const catcher = opening.use(await startMailCatcher())
  const mail = { smtpUrl: patientSmtpUrl(catcher.port), from: mailFrom }
  const startService = (other: Partial<Config> = {}) =>
    world.startService({ mail, ...change, ...other })
  const service = opening.use(await startService())
  const database = opening.adopt(
    openPool({
      connectionString: world.database.databaseUrl,
      applicationName: 'test',
      log: silent,
    }),
    (pool) => pool.end(),
  )
  const resources = opening.move()
  return {
    world,
    service,
    catcher,
    database,
    startService,
    project: (settings = {}) =>
      openAuthClient(service.api, { settings: { emailVerification: true, ...settings } }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

export const newEmail = () => `${randomUUID()}@example.com`
