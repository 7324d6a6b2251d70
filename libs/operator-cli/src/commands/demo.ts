import { readFileSync } from 'node:fs'
import { reasonOf } from '@surehook/service-kit/errors'
import { defineCommand, exitCodes, Failure, UsageError } from '../cli/command.ts'
import { openDemoReceiver } from '../demo/demo-receiver.ts'
import { playDemo } from '../demo/play-demo.ts'
import { checkedUrl, doorOptions, doorVariables, findDoor } from '../lib/door.ts'
import { durationOf } from '../lib/wait-for.ts'

export const demoCommand = defineCommand({
  name: 'demo',
  summary: 'Follow one change through the whole system, from a project to its webhook',
  details: [
    'With a receiver it ends when the webhook came here and its signature is good: the dispatcher must reach the URL',
    '(WEBHOOK_ALLOWED_NETWORKS) and trust its certificate (WEBHOOK_EXTRA_CA_FILE). Without one it ends when the first',
    'attempt was made, at a name that does not exist. Leaves an empty project demo-….',
  ].join('\n'),
  options: {
    receiver: {
      type: 'string',
      value: 'url',
      help: 'https URL by which webhooks reach this process',
    },
    certificate: { type: 'string', value: 'file', help: "PEM of the receiver's certificate" },
    key: { type: 'string', value: 'file', help: 'PEM of its key' },
    timeout: { type: 'string', value: 'duration', default: '1m', help: 'how long all may take' },
    ...doorOptions,
  },
  variables: doorVariables,
  async run({ values, env, json, out, note, signal }) {
    const door = findDoor(values, env)
    const over = AbortSignal.timeout(durationOf('timeout', values.timeout))
    await using opened = new AsyncDisposableStack()
    const receiver = await openReceiver(values, opened)
    const say = json ? note : out
    await playDemo({ door, receiver, signal: AbortSignal.any([signal, over]), say })
    if (json) out(JSON.stringify({ ok: true }, null, 2))
    return exitCodes.ok
  },
})

type Values = Record<'receiver' | 'certificate' | 'key', string | undefined>

async function openReceiver({ receiver, certificate, key }: Values, opened: AsyncDisposableStack) {
  if (receiver === undefined) return null
  if (certificate === undefined || key === undefined) {
    throw new UsageError('--receiver needs --certificate and --key')
  }
  const base = checkedUrl(receiver)
  if (!base.startsWith('https:')) throw new UsageError('--receiver: webhooks go to https only')
  const open = await openDemoReceiver(new URL(base), { key: pemIn(key), cert: pemIn(certificate) })
  opened.use(open)
  return { url: `${base}/hooks`, open }
}

function pemIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (err) {
    throw new Failure(`${file}: ${reasonOf(err)}`)
  }
}
