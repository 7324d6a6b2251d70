import { type Finding, findingsOf } from '../finding.ts'
import type { Settings } from './read-settings.ts'

const { ok, wrong } = findingsOf('postgresql')

/** The oldest major version whose pgoutput streams logical messages. */
const oldestMajor = 14

/** Checks the settings on which the delivery guarantees depend. `slots`: how many are needed. */
export function judgeSettings(settings: Settings, { slots }: { slots: number }): Finding[] {
  const is = (name: string) => settings[name] ?? ''
  const version = is('server_version')
  const findings: Finding[] = []
  if (Number(is('server_version_num')) < oldestMajor * 10_000) {
    findings.push(
      wrong(
        `version ${version}`,
        `Upgrade to PostgreSQL ${oldestMajor} or newer (17 is what is tested).`,
      ),
    )
  } else findings.push(ok(`version ${version}`))
  if (is('wal_level') !== 'logical') {
    findings.push(
      wrong(`wal_level is ${is('wal_level')}`, 'Set wal_level = logical and restart PostgreSQL.'),
    )
  }
  for (const name of ['max_replication_slots', 'max_wal_senders']) {
    if (Number(is(name)) >= slots) continue
    findings.push(
      wrong(
        `${name} is ${is(name)}`,
        `Set it to ${slots} and what others need, and restart PostgreSQL.`,
      ),
    )
  }
  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit']) {
    if (is(name) !== 'off') continue
    findings.push(
      wrong(`${name} is off: what was answered may be gone after a crash`, `Set ${name} = on.`),
    )
  }
  findings.push(ok(`max_slot_wal_keep_size is ${whatIsKept(is('max_slot_wal_keep_size'))}`))
  return findings
}

/** Both settings are valid: one risks a full disk, the other a lost slot. */
function whatIsKept(megabytes: string): string {
  return megabytes === '-1'
    ? '-1: PostgreSQL drops no slot, so a relay that stops fills the disk'
    : `${megabytes} MB: a relay that falls further behind loses its slot and its changes`
}
