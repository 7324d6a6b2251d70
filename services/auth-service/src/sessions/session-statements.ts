import { captureSql } from '@surehook/change-capture/emit/capture'
import { revocationsTopic } from '@surehook/contracts/topics'
import { revocationColumns } from '../revocation/revocation.ts'

/** More than the clocks of the platform's machines differ. */
const slack = `interval '1 minute'`

const seconds = (parameter: string) => `${parameter} * interval '1 second'`

/**
 * `$1` id, `$2` project, `$3` environment, `$4` user, `$5` hash, `$6` idle s, `$7` absolute s, `$8`
 * access s.
 */
export const openSessionSql = `
insert into session
  (id, project_id, environment, user_id, roles, refresh_hash,
   idle_expires_at, expires_at, access_expires_at)
select $1, $2, $3, u.id, u.roles, $5,
       clock_timestamp() + ${seconds('$6')},
       clock_timestamp() + ${seconds('$7')},
       clock_timestamp() + ${seconds('$8')} + ${slack}
  from (select id, roles from user_account
         where id = $4 and project_id = $2 and environment = $3 and not disabled
           for share) u
returning roles, generation`

const fits = 'refresh_hash = $4'
const repeats = `(previous_hash = $4 and refresh_hash = any($9)
  and clock_timestamp() < rotated_at + ${seconds('$8')})`
const reused = `not (${fits} or ${repeats})`

const expiresAtJson = `to_char(r.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The message that `revocationMessage` builds, in SQL. */
const headerSql = `json_build_object('topic', '${revocationsTopic}', 'key', r.session_id)`
const stateSql = `json_build_object('sessionId', r.session_id, 'projectId', r.project_id,
  'environment', r.environment, 'minGeneration', r.min_generation, 'expiresAt', ${expiresAtJson})`

/** A generation above every other one: it revokes all access tokens of the session. */
const wholeSession = '2147483647'

/** Revokes the access tokens of the sessions in `ended`. Returns rows `r`. */
const revokeSql = (minGeneration: string, columns = revocationColumns): string => `
  insert into revocation as r (session_id, project_id, environment, min_generation, expires_at)
  select id, project_id, environment, ${minGeneration}, access_expires_at
    from ended
   where access_expires_at > clock_timestamp()
  on conflict (session_id) do update
     set min_generation = greatest(r.min_generation, excluded.min_generation),
         expires_at = greatest(r.expires_at, excluded.expires_at),
         copied_at = null, revoked_at = clock_timestamp()
  returning ${columns}`

/**
 * Exchanges a refresh token in one statement, so that exactly one of several simultaneous refreshes
 * succeeds. Each waits for the row lock and then sees the previous result. The outcome is one of
 * three. The token is current and is exchanged. It repeats the last refresh within the interval. Or
 * it was used before, which ends the session, revokes its access tokens and notifies the verifiers.
 *
 * `$1` id, `$2` project, `$3` environment, `$4` hash of the token, `$5` of its successor, `$6` idle
 * s, `$7` access s, `$8` interval s, `$9` hashes of every possible successor, including `$5`.
 */
export function refreshSql(service: string): string {
  return `
with touched as (
  update session
     set refresh_hash = case when ${fits} then $5 else refresh_hash end,
         previous_hash = case when ${fits} then $4 else previous_hash end,
         rotated_at = case when ${fits} then clock_timestamp() else rotated_at end,
         idle_expires_at = case when ${fits} then clock_timestamp() + ${seconds('$6')}
                                else idle_expires_at end,
         access_expires_at = case when ${reused} then access_expires_at
                                  else greatest(access_expires_at,
                                                clock_timestamp() + ${seconds('$7')} + ${slack}) end,
         ended_at = case when ${reused} then clock_timestamp() end,
         end_reason = case when ${reused} then 'reuse' end
   where id = $1 and project_id = $2 and environment = $3 and ended_at is null
     and idle_expires_at > clock_timestamp() and expires_at > clock_timestamp()
  returning id, project_id, environment, user_id, roles, generation, access_expires_at, ended_at,
            refresh_hash
),
ended as (select * from touched where ended_at is not null),
revoked as (${revokeSql(wholeSession, 'r.*')}),
published as (
  select r.expires_at, ${captureSql(service, headerSql, stateSql)}::text as lsn from revoked r
)
select t.user_id as "userId", t.roles, t.generation, t.ended_at is not null as reused,
       t.refresh_hash as "refreshHash", d.lsn, d.expires_at as "expiresAt"
  from touched t left join published d on true`
}

/**
 * Ends sessions: `$1` project, `$2` environment, `$3` session or null, `$4` user or null, `$5`
 * reason, `$6` session that goes on, or null. Rows are locked in one order, so that two who end all
 * sessions of a user do not wait for each other.
 */
export const endSessionsSql = `
with chosen as (
  select id from session
   where project_id = $1 and environment = $2 and ended_at is null
     and ($3::uuid is null or id = $3) and ($4::uuid is null or user_id = $4)
     and ($6::uuid is null or id <> $6)
   order by id for update
),
ended as (
  update session s set ended_at = clock_timestamp(), end_reason = $5
    from chosen c where s.id = c.id
  returning s.*
)
${revokeSql(wholeSession)}`

/**
 * Revokes the access tokens of a user's sessions (`$1` project, `$2` environment, `$3` user) and
 * updates the sessions with the user's present roles.
 */
export const endAccessTokensSql = `
with chosen as (
  select id from session
   where project_id = $1 and environment = $2 and user_id = $3 and ended_at is null
   order by id for update
),
ended as (
  update session s set generation = s.generation + 1, roles = u.roles
    from chosen c, user_account u
   where s.id = c.id and u.id = s.user_id
  returning s.*
)
${revokeSql('generation')}`
