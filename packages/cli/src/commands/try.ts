import { randomBytes } from 'node:crypto'
import { defineCommand, exitCodes, Failure } from '../cli/command.ts'
import { consoleCommands, explainAndRedeliver, makeFirstDelivery } from '../demo/first-delivery.ts'
import { openReceiverAt, receiverAddress, receiverOptions } from '../demo/receiver-options.ts'
import { verifyReceipt } from '../demo/verify-receipt.ts'
import { findPlatform, platformOptions, platformVariables } from '../lib/platform-client.ts'
import { durationOf } from '../lib/wait-for.ts'
import { explainedToOperator } from '../output/explain-error.ts'

export const tryCommand = defineCommand({
  name: 'try',
  summary: 'Make a first webhook, and print each request and what it did',
  details: [
    'The command does the tour of the README on the system of this checkout: it makes a project try-…, a table, a',
    'webhook to a receiver in this process and a record. It verifies the delivery, explains it, sends it again, and',
    'says how to see it in the console. It deletes nothing. Elsewhere it needs --receiver, --certificate and --key, as "surehook demo" does.',
  ].join('\n'),
  options: {
    ...receiverOptions,
    timeout: {
      type: 'string',
      value: 'duration',
      default: '1m',
      help: 'time limit of the whole command',
    },
    ...platformOptions,
  },
  variables: platformVariables,
  async run({ values, env, json, out, note, signal }) {
    const platform = findPlatform(values, env)
    const say = json ? note : out
    await using receiver = await openReceiverAt(receiverAddress(values, platform))
    const over = AbortSignal.timeout(durationOf('timeout', values.timeout))
    const request = {
      platform,
      signal: AbortSignal.any([signal, over]),
      fetch: printing(say),
      did: (what: string) => say(`  ${what}`),
    }
    const first = await makeFirstDelivery({
      ...request,
      project: `try-${randomBytes(4).toString('hex')}`,
      receiverUrl: `${receiver.url}/hooks`,
    }).catch((err: unknown) => {
      throw explainedToOperator(err, platform.baseUrl)
    })
    const [receipt] = receiver.receipts
    if (receipt === undefined) throw new Failure('the receiver got nothing')
    verifyReceipt(receipt, first.secret)
    say(`\nThe receiver got this webhook, with a valid signature:\n\n${receipt.body}`)
    await explainAndRedeliver(request, first)
    say('\nThe receiver ends with this command: later deliveries of the webhook are refused.')
    say(`To see all of it in the console:\n\n  ${consoleCommands(platform, first).join('\n  ')}`)
    if (json) out(JSON.stringify({ ok: true, project: first.project }, null, 2))
    return exitCodes.ok
  },
})

/** Prints each request with its body and the status of its answer. A repeated one is printed once. */
function printing(say: (line: string) => void): typeof fetch {
  let previous = ''
  return async (url, init) => {
    const answer = await fetch(url, init)
    const { pathname } = new URL(url instanceof Request ? url.url : url)
    const request = `${init?.method ?? 'GET'} ${pathname}`
    const isRepeated = request === previous && init?.body == null
    previous = request
    if (isRepeated) return answer
    say(`\n${request}  ${answer.status}`)
    if (typeof init?.body === 'string') say(`  ${init.body}`)
    return answer
  }
}
