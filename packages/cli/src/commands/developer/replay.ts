import { setTimeout as sleep } from 'node:timers/promises'
import type { Replay } from '@surehook/client'
import type { OptionSpecs } from '../../cli/command.ts'
import { given, instantOf } from '../../lib/input/option-values.ts'
import { counted } from '../../output/counted.ts'
import { type Output, showDone, showFields } from '../../output/shown.ts'
import { timeCell } from '../../output/times.ts'
import { tenantCommand } from '../../tenant/tenant-command.ts'

const lookEveryMs = 1_000

const until = {
  until: { type: 'string', value: 'when', help: 'the end: 1h ago, or a time. Default: now' },
} as const satisfies OptionSpecs

const untilOf = (text: string | undefined, now: number) =>
  given({ until: text === undefined ? undefined : instantOf('until', text, now).toISOString() })

export const replayCommands = [
  tenantCommand({
    name: 'replay',
    summary: 'Send the changes of a past time again, as the webhook is now',
    examples: ['replay <webhook> --from 2h', 'replay <webhook> --from 1d --until 2h --wait'],
    options: {
      from: {
        type: 'string',
        value: 'when',
        required: true,
        help: 'the start: 1h ago, or a time. At most 7 days ago',
      },
      ...until,
      wait: { type: 'boolean', help: 'wait until the replay is done' },
    },
    positionals: ['webhook'],
    async act({ surehook, request, words, values, now, signal }) {
      const from = instantOf('from', values.from, now()).toISOString()
      const span = { from, ...untilOf(values.until, now()) }
      const { replayId } = await surehook.webhooks.replay(words.webhook, span, request)
      if (!values.wait) return showDone(`replay ${replayId} has begun`, { replayId })
      for (;;) {
        const replay = await surehook.webhooks.getReplay(words.webhook, replayId, request)
        if (replay.state !== 'running') return showReplay(replay, now())
        await sleep(lookEveryMs, undefined, { signal })
      }
    },
  }),
  tenantCommand({
    name: 'replay show',
    summary: 'Show how far a replay is',
    options: {},
    positionals: ['webhook', 'replay'],
    async act({ surehook, request, words: { webhook, replay }, now }) {
      return showReplay(await surehook.webhooks.getReplay(webhook, replay, request), now())
    },
  }),
  tenantCommand({
    name: 'recover',
    summary: 'Send the dead letters of a webhook again',
    examples: ['recover <webhook> --since 1d'],
    options: {
      since: {
        type: 'string',
        value: 'when',
        required: true,
        help: 'only deliveries made since 1h ago, or since a time',
      },
      ...until,
    },
    positionals: ['webhook'],
    async act({ surehook, request, words, values, now }) {
      const since = instantOf('since', values.since, now()).toISOString()
      const span = { since, ...untilOf(values.until, now()) }
      const recovered = await surehook.webhooks.recover(words.webhook, span, request)
      return showDone(`${counted(recovered.count)} dead letters are sent again`, recovered)
    },
  }),
]

function showReplay(replay: Replay, now: number): Output {
  const { from, until: end, createdAt, finishedAt, ...fields } = replay
  const times = { from, until: end, createdAt, finishedAt }
  const cells = Object.entries(times).map(([name, at]) => [name, timeCell(at, now)])
  return showFields(replay, { ...fields, ...Object.fromEntries(cells) })
}
