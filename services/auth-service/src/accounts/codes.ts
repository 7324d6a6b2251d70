import { createHmac, hkdfSync, randomInt } from 'node:crypto'
import { newEventId } from '@surehook/contracts/ids'
import type { EncryptionKeys } from '@surehook/service-kit/config'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import { AppError } from '@surehook/service-kit/errors'
import type { Pool, PoolClient } from 'pg'
import { mailContext } from '../mail/outbox.ts'
import type { Tenant } from '../tenant/tenant.ts'
import { writeDecoy } from './write-decoy.ts'

export type CodePurpose = 'verification' | 'recovery'

/** Whose code, and for what. The e-mail address is normalised. */
export type CodeSubject = {
  tenant: Pick<Tenant, 'projectId' | 'environment'>
  email: string
  purpose: CodePurpose
}

export type Codes = {
  /**
   * Makes a new code, which ends the old, and puts its mail into the outbox, in one transaction. Does
   * as much, and says as little, when there is nobody to send it to, or when too many of the account's
   * codes were guessed at within the hour: what was issued before is then left as it is.
   */
  send(db: Pool | PoolClient, subject: CodeSubject): Promise<void>
  /**
   * True when the code is the right one. A wrong one uses up an attempt, for good and at once: it is
   * committed before this resolves. A right one stays good until it is `redeem`ed.
   */
  isRight(subject: CodeSubject, code: string): Promise<boolean>
  /** In the transaction that does what the code is for: its user's id, once; `null` for the second. */
  redeem(tx: PoolClient, subject: CodeSubject, code: string): Promise<string | null>
}

export const invalidCode = () =>
  new AppError('AUTH_INVALID_CODE', 'The code is wrong, has expired or is used up')

const attempts = 5
const validFor = '1 hour'
/** Of one account, over all its codes: whoever has used them up gets no new code. */
const wrongTriesPerHour = 30

/** What a code's owner must be: a code that nobody could use is not sent. */
const ownerIs: Readonly<Record<CodePurpose, string>> = {
  verification: 'not u.email_verified and not u.disabled',
  recovery: 'not u.disabled',
}

export type CodesDeps = { pool: Pool; box: SecretBox; encryptionKeys: EncryptionKeys }

export function createCodes({ pool, box, encryptionKeys }: CodesDeps): Codes {
  const keys = encryptionKeys.map((key) =>
    Buffer.from(hkdfSync('sha256', key, '', 'surehook/auth/codes', 32)),
  )
  /** Under each of the keys, the current one first. */
  const digests = ({ tenant, email, purpose }: CodeSubject, code: string) => {
    const text = [purpose, tenant.projectId, tenant.environment, email, code].join('\0')
    return keys.map((key) => createHmac('sha256', key).update(text).digest())
  }
  const place = ({ tenant, email, purpose }: CodeSubject) => [
    tenant.projectId,
    tenant.environment,
    email,
    purpose,
  ]
  return {
    async send(db, subject) {
      const code = String(randomInt(1_000_000)).padStart(6, '0')
      const mailId = newEventId()
      await db.query(sendSql(subject.purpose), [
        ...place(subject),
        digests(subject, code)[0],
        mailId,
        box.seal(code, mailContext(mailId)),
      ])
    },
    async isRight(subject, code) {
      const { rows } = await pool.query<{ right: boolean }>(tryStatement, [
        ...place(subject),
        digests(subject, code),
      ])
      return rows[0]?.right === true
    },
    async redeem(tx, subject, code) {
      const { rows } = await tx.query<{ user_id: string }>(redeemStatement, [
        ...place(subject),
        digests(subject, code),
      ])
      return rows[0]?.user_id ?? null
    },
  }
}

const sendSql = (purpose: CodePurpose) => `
with owner as (
  select u.id from user_account u
   where u.project_id = $1 and u.environment = $2 and u.email = $3 and ${ownerIs[purpose]}
),
kept as (
  insert into code as c (user_id, purpose, code_hash, attempts_left, expires_at)
  select id, $4, $5, ${attempts}, now() + interval '${validFor}' from owner
  on conflict (user_id, purpose) do update
     set code_hash = excluded.code_hash, attempts_left = excluded.attempts_left,
         expires_at = excluded.expires_at
   where c.wrong_tries < ${wrongTriesPerHour} or c.wrong_since <= now() - interval '1 hour'
  returning c.expires_at
),
queued as (
  insert into mail_outbox (id, project_id, environment, recipient, template, sealed_code, expires_at)
  select $6, $1, $2, $3, $4, $7, expires_at from kept
  on conflict (project_id, environment, recipient, template) do update
     set id = excluded.id, sealed_code = excluded.sealed_code, expires_at = excluded.expires_at,
         attempts = 0, next_attempt_at = now(), created_at = now()
)
select case when not exists (select from kept) then ${writeDecoy} end`

/**
 * The row is locked by the update and the conditions are checked again on what it holds then: of many
 * tries at once each sees what the one before it left.
 */
const tryStatement = `
with tried as (
  update code c
     set attempts_left = c.attempts_left - (c.code_hash <> all($5))::int,
         wrong_tries = (c.code_hash <> all($5))::int
           + case when c.wrong_since > now() - interval '1 hour' then c.wrong_tries else 0 end,
         wrong_since = case when c.wrong_since > now() - interval '1 hour' then c.wrong_since else now() end
    from user_account u
   where u.project_id = $1 and u.environment = $2 and u.email = $3
     and c.user_id = u.id and c.purpose = $4 and c.attempts_left > 0 and c.expires_at > now()
  returning c.code_hash = any($5) as "right"
)
select "right" from tried
union all
select ${writeDecoy} is null where not exists (select from tried)`

const redeemStatement = `
delete from code c using user_account u
 where u.project_id = $1 and u.environment = $2 and u.email = $3
   and c.user_id = u.id and c.purpose = $4 and c.code_hash = any($5)
   and c.attempts_left > 0 and c.expires_at > now()
returning c.user_id`
