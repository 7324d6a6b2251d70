import { signingKeys } from '@surehook/matching/signed-headers'
import { exitCodes, type OptionSpecs } from '../cli/command.ts'
import { countOf, given } from '../lib/input/option-values.ts'
import { durationOf } from '../lib/wait-for.ts'
import { forward } from '../listen/forward.ts'
import { onKeyPresses } from '../listen/key-presses.ts'
import { Listener } from '../listen/listen.ts'
import { listenSecret } from '../listen/listen-secret.ts'
import { readChanges } from '../listen/read-changes.ts'
import { receiverTls, receiverUrl } from '../listen/receiver-address.ts'
import { type TenantCall, tenantCommand } from '../tenant/tenant-command.ts'

const options = {
  'forward-to': {
    type: 'string',
    value: 'url',
    help: 'where each change is posted, such as localhost:3000/hook or 3000. Default: only print',
  },
  ca: { type: 'string', value: 'file', help: 'a PEM file of a CA that --forward-to may use too' },
  insecure: { type: 'boolean', help: 'do not verify the certificate of --forward-to' },
  events: { type: 'string', value: 'list', help: 'only these operations, such as INSERT,UPDATE' },
  filter: { type: 'string', value: 'json', help: 'only records that match this filter' },
  select: { type: 'string', value: 'list', help: 'only these fields of the record' },
  from: {
    type: 'string',
    value: 'when',
    default: 'now',
    help: 'the start: now, a duration back such as 1h, or a time',
  },
  'print-secret': { type: 'boolean', help: 'print the signing secret and end' },
  'exit-after': { type: 'string', value: 'count', help: 'end after that many changes' },
  timeout: { type: 'string', value: 'duration', default: '5s', help: 'time limit of one answer' },
} as const satisfies OptionSpecs

export const listenCommand = tenantCommand({
  name: 'listen',
  summary: 'Forward the changes of your environment to your machine',
  details: [
    'The command reads the stream of changes, so your machine needs no public address. It posts each',
    'change to --forward-to as a webhook would, and prints the answer. The signing secret depends',
    'only on your token and your environment. Put it into the settings of your receiver once.',
    'Press r to send the newest change again, f to send all failed changes again, and q to end.',
    'After a lost connection, the command continues where it stopped, for up to 7 days. With --json',
    'it prints one line of JSON per change. With --exit-after, the exit code is 1 if a change was',
    'not answered with 2xx.',
  ].join('\n'),
  examples: [
    'listen orders --forward-to localhost:3000/hook',
    'listen orders --from 1h --forward-to localhost:3000/hook --exit-after 3',
  ],
  more: 'table',
  options,
  async act(call) {
    const secret = listenSecret(call.tenant)
    if (call.values['print-secret']) {
      call.out(call.json ? JSON.stringify({ secret }) : secret)
      return exitCodes.ok
    }
    const stop = new AbortController()
    const signal = AbortSignal.any([call.signal, stop.signal])
    const listener = new Listener(listeningOf(call, { secret, signal }))
    using _keys = onKeyPresses(process.stdin, {
      r: () => void listener.resendNewest(),
      f: () => void listener.resendFailed(),
      q: () => stop.abort(),
    })
    const failed = await listener.run()
    return failed > 0 && call.values['exit-after'] !== undefined ? exitCodes.wrong : exitCodes.ok
  },
})

function listeningOf(
  call: TenantCall<typeof options>,
  { secret, signal }: { secret: string; signal: AbortSignal },
) {
  const { surehook, tenant } = call
  const { 'forward-to': target, events, filter, select, from, timeout } = call.values
  const { 'exit-after': exitAfter, ca, insecure } = call.values
  const table = call.more.length === 0 ? undefined : call.more.join(',')
  const query = given({ table, events, filter, select })
  const to = target === undefined ? null : receiverUrl(target)
  if (!call.json) {
    call.note(
      `listening to ${call.more.join(', ') || 'all tables'} of ${tenant.project}/${tenant.environment}`,
    )
    if (to !== null) call.note(`forwarding to ${to.href}; signed with ${secret}`)
  }
  const forwarding = {
    tls: receiverTls(ca, insecure),
    keys: signingKeys(secret),
    timeoutMs: durationOf('timeout', timeout),
    signal,
  }
  return {
    changes: readChanges({
      surehook,
      baseUrl: tenant.baseUrl,
      query,
      from,
      signal,
      note: call.note,
    }),
    forward:
      to === null
        ? null
        : (change: Parameters<typeof forward>[0]) => forward(change, { ...forwarding, to }),
    exitAfter: exitAfter === undefined ? null : countOf('exit-after', exitAfter),
    json: call.json,
    io: call,
  }
}
