import { setTimeout as sleep } from 'node:timers/promises'
import { type MailCatcher, startMailCatcher } from '@surehook/scripts/mail/mail-catcher'
import { Client } from 'pg'
import type { TestSystem, TestSystemOptions } from '../open-system.ts'
import type { SystemAddress } from '../system-address.ts'
import { openWorld, openWorldWithStack, type World } from '../world.ts'
import { AuthTenant, type AuthTenantOptions, type Mailbox } from './auth-tenant.ts'
import type { AuthTransport } from './auth-transports.ts'

export type AuthWorld<System extends SystemAddress = TestSystem> = Omit<
  World<System>,
  'tenant' | 'certificates'
> & {
  tenant(transport: AuthTransport, options?: AuthTenantOptions): Promise<AuthTenant>
  /** Expires the codes of a user. Resolves with the seconds for which they were still valid. */
  ageCode(userId: string): Promise<number>
  passed(ms: number): Promise<void>
}

/** Opens a world with a readable mail server. Clients may set their own address. */
export const openAuthWorld = (options: TestSystemOptions = {}) => authWorldOn(openWorld, options)

/** Like `openAuthWorld`, on a separate stack whose parts may be killed. */
export const openAuthWorldWithStack = (options: TestSystemOptions = {}) =>
  authWorldOn(openWorldWithStack, options)

async function authWorldOn<System extends TestSystem>(
  open: (options: TestSystemOptions) => Promise<World<System>>,
  options: TestSystemOptions,
): Promise<AuthWorld<System>> {
  await using opening = new AsyncDisposableStack()
  const catcher = opening.use(await startMailCatcher())
  const env = { SMTP_URL: catcher.url, TRUSTED_PROXIES: '127.0.0.0/8,::1/128', ...options.env }
  const world = opening.use(await open({ ...options, env }))
  const resources = opening.move()
  const dispose = () => resources.disposeAsync()
  return { ...authWorldOf(world, catcher), [Symbol.asyncDispose]: dispose }
}

/** Adds users to a world whose services send their mail to `catcher`. */
export function authWorldOf<System extends SystemAddress>(
  world: World<System>,
  catcher: MailCatcher,
): AuthWorld<System> {
  const { system } = world
  const mailbox = mailboxOf(catcher)
  return {
    ...world,
    tenant: (transport, tenantOptions) =>
      AuthTenant.create({ system, transport, mailbox }, tenantOptions),
    ageCode: (userId) => ageCode(system.endpoints.databaseUrl, userId),
    passed: (ms) => sleep(ms),
  }
}

function mailboxOf(catcher: MailCatcher): Mailbox {
  const read = new Map<string, number>()
  return {
    async nextCode(email) {
      const count = (read.get(email) ?? 0) + 1
      const { code } = await catcher.waitFor(email, { count, codes: true })
      read.set(email, count)
      if (code === null) throw new Error(`no code in the mail to ${email}`)
      return code
    },
    count: (email) => catcher.mails.filter(({ to }) => to === email).length,
  }
}

async function ageCode(databaseUrl: string, userId: string): Promise<number> {
  const database = new Client({ connectionString: databaseUrl })
  await database.connect()
  try {
    const { rows } = await database.query<{ seconds: number }>(
      `update auth_service.code c set expires_at = now() - interval '1 second'
         from auth_service.code old
        where c.user_id = $1 and old.user_id = c.user_id and old.purpose = c.purpose
       returning extract(epoch from old.expires_at - now())::float8 as seconds`,
      [userId],
    )
    const [row] = rows
    if (row === undefined) throw new Error(`${userId} has no code`)
    return row.seconds
  } finally {
    await database.end()
  }
}
