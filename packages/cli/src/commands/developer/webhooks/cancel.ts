import { cancellable } from '@surehook/contracts/events'
import type { OptionSpecs } from '../../../cli/command.ts'
import { instantOf } from '../../../lib/input/option-values.ts'
import { counted } from '../../../output/counted.ts'
import { showDone } from '../../../output/shown.ts'
import type { TenantCall } from '../../../tenant/tenant-command.ts'

export const cancelOptions = {
  status: {
    type: 'string',
    value: 'status',
    required: true,
    choices: cancellable,
    help: 'the state of the deliveries',
  },
  until: {
    type: 'string',
    value: 'when',
    help: 'only those made until 1h ago, or until a time. Default: now',
  },
} as const satisfies OptionSpecs

export async function cancelDeliveries(call: TenantCall<typeof cancelOptions, 'webhook'>) {
  const { surehook, request, words, values, now } = call
  const status = values.status as (typeof cancellable)[number]
  const until =
    values.until === undefined
      ? {}
      : { until: instantOf('until', values.until, now()).toISOString() }
  const { count } = await surehook.webhooks.cancel(words.webhook, { status, ...until }, request)
  return showDone(`${counted(count)} ${status} deliveries are cancelled`, { count })
}
