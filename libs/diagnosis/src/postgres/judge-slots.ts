import { byteSize } from '@surehook/contracts/byte-size'
import { slotOf } from '@surehook/service-kit/postgres/capture-slot'
import { type Finding, findingsOf } from '../finding.ts'
import type { SlotRow } from './read-slots.ts'

const { ok, warn, wrong } = findingsOf('slots')

const lagWarnBytes = 256 * 1024 * 1024

/** Each service that captures has one slot, which one of its replicas reads. */
export function judgeSlot(service: string, rows: readonly SlotRow[]): Finding[] {
  const slot = slotOf(service)
  const row = rows.find((one) => one.slot === slot)
  const recipe = 'see docs/operate/recover-a-lost-slot.md'
  if (row === undefined) {
    return [
      wrong(
        `${slot} is not there`,
        'On a new database run `surehook prepare database`; if it was there before, changes ' +
          `may be missing: ${recipe}.`,
      ),
    ]
  }
  const lag = byteSize(row.lagBytes ?? 0)
  if (row.status === 'lost')
    return [wrong(`${slot} was given up by the server`, `Changes may be missing: ${recipe}.`)]
  if (!row.active) {
    return [
      wrong(
        `${slot} is read by nobody, ${lag} behind`,
        `Start ${service}, or see in its log why its relay does not read: WAL piles up until it does.`,
      ),
    ]
  }
  if (row.status === 'unreserved') {
    return [
      wrong(`${slot} is about to be given up, ${lag} behind`, 'Raise max_slot_wal_keep_size now.'),
    ]
  }
  if ((row.lagBytes ?? 0) > lagWarnBytes) {
    return [
      warn(
        `${slot} is ${lag} behind`,
        `See in the log of ${service} whether Kafka takes what its relay sends.`,
      ),
    ]
  }
  return [ok(`${slot} is read, ${lag} behind`)]
}
