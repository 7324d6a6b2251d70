import { type Finding, findingsOf } from '../finding.ts'
import type { GroupState } from './read-groups.ts'

const { ok, warn, wrong, skipped } = findingsOf('consumers')

/** Unread messages with which a group is worth a look, unless the operator says otherwise. */
export const lagWarning = 10_000

export function judgeGroup(
  { group, state, members, partitions, unused, lag, lost }: GroupState,
  lagLimit: number,
): Finding[] {
  const says = `${group}: ${members} member${members === 1 ? '' : 's'}, ${lag} behind`
  const gaps = lost.map((topic) =>
    wrong(
      `${group}: records of ${topic} were deleted before it read them`,
      'Take a ledger of the span (`surehook ledger`) and keep the topic longer than the longest outage.',
    ),
  )
  if (members === 0) {
    return [
      ...gaps,
      wrong(
        `${says}: nobody reads`,
        `Start ${group}, or see in its log why it does not join its group.`,
      ),
    ]
  }
  if (state !== 'Stable') {
    return [
      ...gaps,
      skipped(`${says}; its members change just now (${state}): look again in a moment`),
    ]
  }
  if (lag > lagLimit) {
    return [
      ...gaps,
      warn(
        says,
        `Watch whether it shrinks; if not, add replicas of ${group} or see what its log says.`,
      ),
    ]
  }
  if (unused.length > 0) {
    const numbers = unused.join(', ')
    return [
      ...gaps,
      warn(
        `${says}: it does not use all ${partitions} partitions of changes yet (not ${numbers})`,
        'Wait until it does before you add more. See docs/operate/more-partitions.md.',
      ),
    ]
  }
  if (members > 1 && partitions > 0 && members >= partitions) {
    return [
      ...gaps,
      warn(
        `${says}: ${partitions} partitions limit it to ${partitions} members`,
        `Before you add replicas, add partitions: \`surehook admin partitions ${2 * partitions}\`.`,
      ),
    ]
  }
  return [...gaps, ok(says)]
}
