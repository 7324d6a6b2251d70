import { describe, expect, it } from '@jest/globals'
import { type FoundDelivery, SurehookError } from '@surehook/client'
import fc from 'fast-check'
import { defineCommand, exitCodes, Failure, type Io } from '../cli/command.ts'
import { runCli } from '../cli/run-cli.ts'
import { planLines } from '../environment-file/show-plan.ts'
import { Listener } from '../listen/listen.ts'
import { endedLine } from './deliveries.ts'
import { explained } from './explain-error.ts'
import { cellOf, textFields, textTable } from './text-table.ts'
import { visible, visibleLines } from './visible.ts'

/** What others could write into a record, an error or an answer. */
const corpus = [
  '\u001b[2J\u001b[1;1H',
  '\u001b]52;c;cm0gLXJmIH4=\u0007',
  '\u009b31m',
  '\u0000\u0007\b\u007f',
  'a\r2026-01-01  delivered',
  'a\n2026-01-01  delivered',
  'a\u0085b\u2028c\u2029d',
  'a\u202egnp.exe\u202c',
  '\u2066\u2067\u2068\u2069\u061c\u200e\u200f\u202a\u202b\u202d',
]
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)
const unseenCodes = new Set([
  ...[...range(0x00, 0x1f), ...range(0x7f, 0x9f), 0x2028, 0x2029],
  ...[0x061c, 0x200e, 0x200f, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)],
])
const unseenIn = (text: string) =>
  Array.from(text).filter((character) => unseenCodes.has(character.codePointAt(0) ?? 0))

describe('visible', () => {
  it('escapes each unseen character, and leaves all others', () => {
    const isEscaped = (code: number) =>
      visible(String.fromCharCode(code)) !== String.fromCharCode(code)
    expect(new Set(range(0, 0xffff).filter(isEscaped))).toEqual(unseenCodes)
    expect(visible('\u001b[31m \r\n\t \u202e Grüße, 🙂')).toBe(
      String.raw`\u001b[31m \r\n\t \u202e Grüße, 🙂`,
    )
    expect(visibleLines('a\n\u001bb')).toBe('a\n\\u001bb')
  })

  it('makes one line of any text, and changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(unseenIn(visible(text))).toEqual([])
        expect(visible(visible(text))).toBe(visible(text))
      }),
    )
  })
})

/** The types do not bind a server: it may send anything. */
const delivery = (text: string): FoundDelivery => ({
  id: 'd',
  webhookId: 'w',
  webhookName: text,
  eventId: 'e',
  status: 'dead_letter',
  httpStatus: null,
  attempts: 1,
  createdAt: '2026-11-25T12:00:00Z',
  lastError: text as FoundDelivery['lastError'],
  nextAttemptAt: null,
  redeliveryOf: null,
  table: 'orders',
  event: 'INSERT',
  recordId: text,
})

async function listened(text: string): Promise<string> {
  const lines: string[] = []
  const body = { id: 'a', timestamp: 't', table: 'orders', event: 'INSERT', record: { id: text } }
  async function* changes() {
    yield { cursor: 'a', headers: {}, body: JSON.stringify(body) }
  }
  await new Listener({
    changes: changes(),
    forward: async () => ({ status: null, error: text, ms: 1 }),
    exitAfter: 1,
    json: false,
    io: { out: (line) => lines.push(line), note: () => {} },
  }).run()
  return lines.join('\n')
}

function refusal(text: string): string {
  const violations = [{ field: text, message: text }]
  const refused = new SurehookError(text, {
    code: 'VALIDATION_ERROR',
    status: 400,
    requestId: 'r',
    violations,
  })
  // The three lines are of the command: a line break in the text must not make a fourth one.
  const { message } = explained(refused, 'https://a.example') as Failure
  expect(message.split('\n')).toHaveLength(3)
  return message.replaceAll('\n', '')
}

function plan(text: string): string[] {
  const changes = [{ field: 'filter', before: null, after: { a: text } }]
  const step = { kind: 'table', action: 'delete', name: text, changes } as const
  return planLines({ steps: [step], refusals: [text], left: [text] })
}

type Rendering = (text: string) => string | readonly string[] | Promise<string>

const outputs: readonly [string, Rendering][] = [
  ['a cell', cellOf],
  ['cells of a list', (text) => cellOf([text, text])],
  ['a table', (text) => textTable([[text, text]])],
  ['fields', (text) => textFields({ [text]: { a: text } })],
  ['an ended delivery', (text) => endedLine(delivery(text), 0)],
  ['a line of listen', listened],
  ['a refusal', refusal],
  ['a difference', plan],
]

it.each(outputs)('%s shows the text of others escaped', async (_, show) => {
  for (const text of corpus) {
    const shown = [await show(text)].flat()
    expect(shown.flatMap(unseenIn)).toEqual([])
  }
})

it.each(corpus)('a command escapes %j for people, and nothing in JSON', async (text) => {
  const shown = await printed(text)
  expect(unseenIn(shown.join('').replaceAll('\n', ''))).toEqual([])
  const [json] = await printed(text, '--json')
  expect(JSON.parse(json ?? '')).toEqual({ text })
})

/** What a command writes to the standard output, and then to the standard error. */
async function printed(text: string, ...args: string[]): Promise<string[]> {
  const command = defineCommand({
    name: 'say',
    summary: 'Says it',
    options: {},
    async run({ json, out, note }) {
      out(json ? JSON.stringify({ text }) : text)
      note(text)
      if (!json) throw new Failure(text)
      return exitCodes.ok
    },
  })
  const lines: string[] = []
  const add = (line: string) => void lines.push(line)
  const { signal } = new AbortController()
  const io: Io = { env: {}, out: add, note: add, signal, now: Date.now }
  await runCli([command], ['say', ...args], io)
  return lines
}
