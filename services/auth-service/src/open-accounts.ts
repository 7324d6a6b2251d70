import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { EncryptionKeys } from '@surehook/service-kit/config/config'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import type { RedisClient } from '@surehook/service-kit/redis/client'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Pool } from 'pg'
import { lockoutMeter, operationMeter } from './accounts/account-meters.ts'
import { type Accounts, createAccounts } from './accounts/accounts.ts'
import { createCodes } from './accounts/codes.ts'
import { createTryPassword } from './accounts/try-password.ts'
import type { ChatTransport } from './alerts/chat-transport.ts'
import { createLockout } from './limits/lockout.ts'
import { createRateLimits } from './limits/rate-limits.ts'
import { openMailSender } from './mail/mail-sender.ts'
import { openMailTransport } from './mail/mail-transport.ts'
import type { Notices } from './mail/notices.ts'
import { parseMailAddress } from './mail/render-mail.ts'
import { createBreachCheck } from './password/breach-check.ts'
import { createHashQueue, type HashQueue } from './password/hash-queue.ts'
import { createPasswordRules } from './password/password-rules.ts'
import { createPasswordStrength } from './password/password-strength.ts'
import { createPasswords } from './password/passwords.ts'
import { createSelfService, type SelfService } from './self-service/self-service.ts'
import type { Sessions } from './sessions/sessions.ts'
import type { CallerOf } from './use-cases/call.ts'
import { type ManageUsers, manageUsers } from './users/manage-users.ts'

export type AccountPartsOptions = {
  pool: Pool
  redis: RedisClient
  writer: StateWriter
  sessions: Sessions
  callerOf: CallerOf
  notices: Notices
  box: SecretBox
  encryptionKeys: EncryptionKeys
  mail: { smtpUrl: string; from: string }
  publicUrl: string
  chats: ChatTransport
  hashing: { concurrency: number; maxWaitMs: number }
  breachRangeUrl: string
  metrics: Metrics
  log: Logger
}

export type AccountParts = AsyncDisposable & {
  readonly accounts: Accounts
  readonly selfService: SelfService
  readonly users: ManageUsers
  /** Throws SERVICE_UNAVAILABLE if a password hash for this client would wait too long. */
  assertCapacity: HashQueue['assertCapacity']
}

/** Opens the limits, passwords, codes, mails and the use cases on top of them. */
export async function openAccounts(options: AccountPartsOptions): Promise<AccountParts> {
  const { pool, redis, writer, sessions, callerOf, notices, box, encryptionKeys } = options
  const { mail, publicUrl, chats, metrics, log } = options
  await using opening = new AsyncDisposableStack()
  const queue = createHashQueue({ ...options.hashing, metrics })
  const passwords = createPasswords(queue, log)
  const strength = opening.use(createPasswordStrength())
  const isBreached = createBreachCheck(options.breachRangeUrl, log)
  const transport = opening.use(openMailTransport(mail.smtpUrl))
  const from = parseMailAddress(mail.from)
  const sender = opening.use(
    openMailSender({ pool, box, transport, chats, from, publicUrl, log, metrics }),
  )
  const lockout = createLockout(redis)
  const lockouts = lockoutMeter(metrics)
  const onLock = () => lockouts.inc()
  const shared = {
    pool,
    writer,
    sessions,
    notices,
    limits: createRateLimits(redis),
    rules: createPasswordRules({ isBreached, strength, queue }),
    passwords,
    tryPassword: createTryPassword({ pool, lockout, passwords, notices, onLock }),
    count: operationMeter(metrics),
  }
  const accounts = createAccounts({
    ...shared,
    lockout,
    codes: createCodes({ pool, box, encryptionKeys }),
    onMail: () => sender.wake(),
  })
  const users = manageUsers({ pool, writer, sessions, lockout })
  const resources = opening.move()
  return {
    accounts,
    selfService: createSelfService({ ...shared, callerOf }),
    users,
    assertCapacity: passwords.assertCapacity,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
