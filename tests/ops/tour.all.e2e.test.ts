import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { freePort, isListening } from '@surehook/scripts/lib/ports'
import { startMailCatcher } from '@surehook/scripts/mail/mail-catcher'
import { testReceiverPort } from '@surehook/scripts/start/test-receiver'
import { until } from '@surehook/testing/until'
import { newSecret } from 'surehook/lib/new-secret'
import { type Checkout, commandsOf, openCheckout } from '../support/commands/checkout.ts'
import { openWorld } from '../support/world.ts'

/** The delays of the pages, but a shorter cooldown than their two minutes. */
const env = { WEBHOOK_RETRY_DELAYS: '1s,5s,30s,5m', WEBHOOK_CIRCUIT_COOLDOWN: '10s' }

let open: AsyncDisposableStack
let checkout: Checkout
let receiverPort: number

const secret = newSecret()

const readme = { file: 'README.md', from: '## Your first webhook', to: '## Receive webhooks' }

/** In the order in which a reader follows them, in one terminal. */
const pages = [
  readme,
  { file: 'docs/guides/tour.md' },
  { file: 'docs/guides/data-api.md' },
  { file: 'docs/guides/authentication.md', to: '## What a user can do' },
]

beforeAll(async () => {
  open = new AsyncDisposableStack()
  checkout = open.use(await openCheckout())
  const catcher = open.use(await startMailCatcher({ dir: `${checkout.dir}/.local/mail` }))
  const world = open.use(await openWorld({ env: { ...env, SMTP_URL: catcher.url } }))
  await checkout.writeEndpoints(world)
  await startReceiver()
})
afterAll(async () => open.disposeAsync())

it('the commands of README and the guides work, also when repeated', async () => {
  const commands = await commandsOfPages()
  for (const _round of [1, 2]) {
    const { code, out } = await checkout.run(commands)
    expect({ code, errors: codesIn(out) }).toEqual({
      code: 0,
      // In the order of the comments that announce them: 400, 409, 409, 412, 403, 401, 401, 403,
      // 400.
      errors: [
        'VALIDATION_ERROR',
        'CONFLICT',
        'CONFLICT',
        'PRECONDITION_FAILED',
        'FORBIDDEN',
        'AUTH_TOKEN_INVALID',
        'AUTH_TOKEN_INVALID',
        'FORBIDDEN',
        'VALIDATION_ERROR',
      ],
    })
    const shown = out.replaceAll(/\s+/g, ' ')
    for (const status of ['paused', 'delivered']) {
      expect(shown).toContain(`[ ${Array.from({ length: 6 }, () => `'${status}'`).join(', ')} ]`)
    }
    expect(out).toContain('secret: new; 2 in webhook-signature')
    // The README's own webhook arrived: the last command of the page waits for it.
    expect(out).toMatch(/status: 'delivered',\s+httpStatus: 204,\s+attempts: 1,/)
  }
})

it('the guide about live lists makes a project and its table', async () => {
  const page = { file: 'docs/guides/live-list.md', to: '## Start the page' }
  const { code, out } = await checkout.run((await commandsOf(page)).join('\n'))
  expect({ code, errors: codesIn(out) }).toEqual({ code: 0, errors: [] })
  expect(out).toMatch(/"owner_id".*\nSUREHOOK_URL=http\S+\nSUREHOOK_PROJECT=todo-\d+\n$/)
})

it('the guide about own records works in a terminal of its own', async () => {
  const { code, out } = await checkout.run(
    (await commandsOf({ file: 'docs/guides/own-records.md' })).join('\n'),
  )
  expect({ code, errors: codesIn(out) }).toEqual({
    code: 0,
    errors: ['RECORD_NOT_FOUND', 'RECORD_NOT_FOUND', 'VALIDATION_ERROR', 'RECORD_NOT_FOUND'],
  })
  const lists = out.split('\n').filter((line) => line.startsWith('{"records":'))
  const titles = lists.map((line) =>
    (JSON.parse(line) as { records: Record<string, unknown>[] }).records.map((record) => [
      record['title'],
      typeof record['owner_id'] === 'string',
    ]),
  )
  const [ada, ...grace] = [
    ['Write the first program', true],
    ['Find the bug', true],
    ['Keep the moth', true],
  ]
  const asSupport = [...grace, ['Write the first program', false]]
  // The management token sees the same as Grace.
  expect(titles.map((list) => list.toSorted())).toEqual([[ada], grace, asSupport, asSupport])
})

describe('the wait of the README', () => {
  const refused = { attempts: 2, lastError: 'refused' }
  const waitFor = async (deliveries: object[]) => {
    const blocks = await commandsOf(readme)
    const [field] = /^field\(\).*$/m.exec(blocks.join('\n')) ?? []
    const answer = JSON.stringify({ deliveries })
    // Counts the seconds instead of waiting.
    const stand = `HOOK=hook; api() { echo '${answer}'; }; sleep() { echo "slept $1"; }`
    const { code, out } = await checkout.run([field, stand, blocks.at(-1)].join('\n'))
    return { code, out, slept: out.match(/^slept 1$/gm)?.length ?? 0 }
  }

  it('ends on a dead letter, and says why', async () => {
    const { code, out, slept } = await waitFor([{ status: 'dead_letter', ...refused }])
    expect({ code, slept }).toEqual({ code: 0, slept: 0 })
    expect(out).toContain(`{ status: 'dead_letter', attempts: 2, lastError: 'refused' }`)
  })

  it.each([
    ['a receiver that does not run', [{ status: 'retrying', ...refused }], `lastError: 'refused'`],
    ['a change without a delivery', [], 'no delivery yet'],
  ])('ends after 30 s with %s', async (_what, deliveries, why) => {
    const { code, out, slept } = await waitFor(deliveries)
    expect({ code, slept }).toEqual({ code: 0, slept: 30 })
    expect(out).toContain(why)
  })
})

it('no receiver of a page listens on the port of the test receiver of `npm start`', async () => {
  const blocks = await Promise.all(pages.map(commandsOf))
  const ports = [
    ...blocks
      .flat()
      .join('\n')
      .matchAll(/\.listen\((\d+)/g),
  ].map(([, port]) => port)
  expect(ports).not.toEqual([])
  expect(ports).not.toContain(String(testReceiverPort))
})

const codesIn = (out: string) =>
  [...out.matchAll(/^\{"error":"([A-Z_]+)"/gm)].map(([, code]) => code)

async function commandsOfPages(): Promise<string> {
  const blocks = await Promise.all(pages.map(commandsOf))
  return blocks
    .flat()
    .filter((block) => block.trim() !== 'npm run receiver')
    .join('\n')
    .replaceAll('9443', String(receiverPort))
    .replaceAll('9445', String(await freePort()))
    .replace('sleep 125', 'sleep 13')
}

/** Starts the receiver of `npm run receiver` with the certificate that this system trusts. */
async function startReceiver(): Promise<void> {
  receiverPort = await freePort()
  await writeFile(`${checkout.dir}/.local/receiver-secret`, `${secret}\n`)
  checkout.start('node docs/guides/receivers/typescript/receiver.ts', {
    PORT: String(receiverPort),
    INBOX: '.local/inbox',
    TLS_CERT: '.local/demo-ca/server.pem',
    TLS_KEY: '.local/demo-ca/server.key',
    WEBHOOK_SECRETS: JSON.stringify([secret]),
  })
  await until(() => isListening(receiverPort))
}
