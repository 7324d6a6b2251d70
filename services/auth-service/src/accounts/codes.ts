import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { newEventId } from '@surehook/contracts/ids'
import type { EncryptionKeys } from '@surehook/service-kit/config/config'
import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import { AppError } from '@surehook/service-kit/errors'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool, PoolClient } from 'pg'
import { mailContext } from '../mail/outbox.ts'
import type { Tenant } from '../platform/tenant.ts'
import { writeDecoy } from '../write-decoy.ts'
import { newLongCode, newShortCode } from './code-text.ts'

export type CodePurpose = 'verification' | 'recovery'

/** The account and the purpose of a code. The e-mail address is normalised. */
export type CodeSubject = {
  tenant: Pick<Tenant, 'projectId' | 'environment'>
  email: string
  purpose: CodePurpose
}

export type Codes = {
  /**
   * Makes a new code and puts its mail into the outbox, in one transaction. The two codes before it
   * stay valid for their hour, so a stranger who requests codes for an address does not invalidate
   * its owner's codes. The code is long if the account had too many wrong tries within the week.
   *
   * If the address has no eligible account, no code is made. The call then writes as much and
   * returns the same, so that the caller learns nothing.
   * @param isLong the code is long in any case
   */
  send(db: Pool | PoolClient, subject: CodeSubject, isLong: boolean): Promise<void>
  /**
   * Resolves to true if one of the valid codes matches. A wrong code uses up one attempt of each
   * valid code; this is committed before the promise resolves. A right code stays valid until
   * `redeem`.
   */
  isRight(subject: CodeSubject, code: string): Promise<boolean>
  /**
   * Deletes the codes and returns the user's id, or `null` if no valid code matches. Call it in the
   * transaction that does what the code allows, so that a code works only once.
   */
  redeem(tx: PoolClient, subject: CodeSubject, code: string): Promise<string | null>
}

export const invalidCode = () =>
  new AppError('AUTH_INVALID_CODE', 'The code is wrong, has expired or is used up')

/** Wrong tries per short code. */
export const attempts = 5
/** So many that no stranger uses a long code up. Nobody guesses one in as many tries. */
const attemptsPerLongCode = 30_000
const validFor = '1 hour'
/** This many codes stay valid beside the newest. */
const earlierCodes = 2
export const liveCodes = 1 + earlierCodes
/**
 * Wrong tries at an account within a week, over all its codes of a purpose. From then on its new
 * codes are long.
 */
export const longAfter = 10
const inThisWeek = "c.wrong_since > now() - interval '7 days'"
const isGuessed = `(c.wrong_tries >= ${longAfter} and ${inThisWeek})`

/** The condition on the account: no code is sent to an account that could not use it. */
const ownerIs: Readonly<Record<CodePurpose, string>> = {
  verification: 'not u.email_verified and not u.disabled',
  recovery: 'not u.disabled',
}

export type CodesDeps = { pool: Pool; box: SecretBox; encryptionKeys: EncryptionKeys }

export function createCodes({ pool, box, encryptionKeys }: CodesDeps): Codes {
  const keys = encryptionKeys.map((key) =>
    Buffer.from(hkdfSync('sha256', key, '', 'surehook/auth/codes', 32)),
  )
  /**
   * Digests under every key, the current one first. They are keyed because anyone who reads the
   * table could otherwise try all 1,000,000 codes.
   */
  const digests = ({ tenant, email, purpose }: CodeSubject, code: string) => {
    const text = [purpose, tenant.projectId, tenant.environment, email, code].join('\0')
    return keys.map((key) => createHmac('sha256', key).update(text).digest())
  }
  const lockGood = async (tx: PoolClient, subject: CodeSubject): Promise<GoodCodes> => {
    const { rows } = await tx.query<GoodCodes>(lockStatement, place(subject))
    return rows[0] ?? { userId: null, hashes: [] }
  }
  const place = ({ tenant, email, purpose }: CodeSubject) => [
    tenant.projectId,
    tenant.environment,
    email,
    purpose,
  ]
  return {
    async send(db, subject, isLong) {
      const mailId = newEventId()
      // The statement picks one of the two, under the lock that counts wrong tries.
      const [short, long] = [newShortCode(), newLongCode()]
      await db.query(sendSql(subject.purpose), [
        ...place(subject),
        mailId,
        isLong,
        ...[short, long].map((code) => digests(subject, code)[0]),
        ...[short, long].map((code) => box.seal(code, mailContext(mailId))),
      ])
    },
    async isRight(subject, code) {
      return inTransaction(pool, async (tx) => {
        const good = await lockGood(tx, subject)
        const isRight = isAmong(good.hashes, digests(subject, code))
        const isWrongTry = !isRight && good.hashes.length > 0
        if (isWrongTry) await tx.query(wrongTryStatement, [good.userId, subject.purpose])
        else await tx.query(`select ${writeDecoy}`)
        return isRight
      })
    },
    async redeem(tx, subject, code) {
      const { userId, hashes } = await lockGood(tx, subject)
      if (!isAmong(hashes, digests(subject, code))) return null
      await tx.query(endStatement, [userId, subject.purpose])
      return userId
    },
  }
}

type GoodCodes = { userId: string | null; hashes: readonly Buffer[] }

/** Compares every pair, found or not, so that the time does not depend on the result. */
function isAmong(hashes: readonly Buffer[], digests: readonly Buffer[]): boolean {
  const equal = hashes.flatMap((hash) => digests.filter((one) => timingSafeEqual(hash, one)))
  return equal.length > 0
}

const hashIf = (isLong: string) => `case when ${isLong} then $8::bytea else $7::bytea end`
const attemptsIf = (isLong: string) =>
  `case when ${isLong} then ${attemptsPerLongCode} else ${attempts} end`

/**
 * Parameters: project, environment, address, purpose, id of the mail, whether the code is long in
 * any case, digests of the short and the long code, both codes encrypted.
 */
const sendSql = (purpose: CodePurpose) => `
with owner as (
  select u.id from user_account u
   where u.project_id = $1 and u.environment = $2 and u.email = $3 and ${ownerIs[purpose]}
),
kept as (
  insert into code as c (user_id, purpose, code_hash, attempts_left, expires_at)
  select id, $4, ${hashIf('$6::boolean')}, ${attemptsIf('$6::boolean')}, now() + interval '${validFor}' from owner
  on conflict (user_id, purpose) do update
     set code_hash = ${hashIf(`$6::boolean or ${isGuessed}`)},
         attempts_left = ${attemptsIf(`$6::boolean or ${isGuessed}`)}, expires_at = excluded.expires_at,
         earlier_hashes = (array_prepend(c.code_hash, c.earlier_hashes))[1:${earlierCodes}],
         earlier_attempts_left =
           (array_prepend(c.attempts_left, c.earlier_attempts_left))[1:${earlierCodes}],
         earlier_expire_at = (array_prepend(c.expires_at, c.earlier_expire_at))[1:${earlierCodes}]
  returning c.expires_at, c.code_hash = $8::bytea as long
),
queued as (
  insert into mail_outbox (id, project_id, environment, recipient, template, sealed_code, expires_at)
  select $5, $1, $2, $3, $4, case when long then $10::text else $9::text end, expires_at from kept
  on conflict (project_id, environment, recipient, template) do update
     set id = excluded.id, sealed_code = excluded.sealed_code, expires_at = excluded.expires_at,
         attempts = 0, next_attempt_at = now(), created_at = now()
)
select case when not exists (select from kept) then ${writeDecoy} end`

/**
 * Locks the row: simultaneous tries run one after the other, and each sees the attempts that are
 * left.
 */
const lockStatement = `
select c.user_id as "userId", array(
         select e.hash from unnest(array_prepend(c.code_hash, c.earlier_hashes),
                                   array_prepend(c.attempts_left, c.earlier_attempts_left),
                                   array_prepend(c.expires_at, c.earlier_expire_at))
                              as e(hash, attempts_left, expires_at)
          where e.attempts_left > 0 and e.expires_at > now()) as hashes
  from code c join user_account u on u.id = c.user_id
 where u.project_id = $1 and u.environment = $2 and u.email = $3 and c.purpose = $4
   for update of c`

/** Takes one attempt from every code of the account. */
const wrongTryStatement = `
update code c
   set attempts_left = greatest(c.attempts_left - 1, 0),
       earlier_attempts_left = array(
         select greatest(e.attempts_left - 1, 0)::smallint
           from unnest(c.earlier_attempts_left) with ordinality as e(attempts_left, place)
          order by e.place),
       wrong_tries = 1 + case when ${inThisWeek} then least(c.wrong_tries, 1000) else 0 end,
       wrong_since = case when ${inThisWeek} then c.wrong_since else now() end
 where c.user_id = $1 and c.purpose = $2`

/** The row stays, because it holds the count of wrong tries. */
const endStatement = `
update code set attempts_left = 0, expires_at = now(), earlier_hashes = '{}',
                earlier_attempts_left = '{}', earlier_expire_at = '{}'
 where user_id = $1 and purpose = $2`
