import { readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import {
  type AnyCommand,
  defineCommand,
  exitCodes,
  Failure,
  type Io,
  Unreachable,
} from './command.ts'
import { runCli } from './run-cli.ts'

const greet = defineCommand({
  name: 'greet people',
  summary: 'Greets',
  positionals: ['who'],
  options: {
    loud: { type: 'boolean', help: 'in capitals' },
    times: { type: 'string', default: '1', help: 'how often' },
    tag: { type: 'string', multiple: true, help: 'tags' },
    from: { type: 'string', required: true, help: 'who greets' },
    tone: { type: 'string', choices: ['kind', 'cold'], help: 'the tone' },
  },
  variables: { GREETING: 'the word' },
  examples: ['greet people Ada --from us'],
  async run({ values, words, env, json, out }) {
    const { loud, times, tag, from } = values
    const said = { who: words['who'], loud, times, tag, from, word: env['GREETING'] }
    out(json ? JSON.stringify(said) : `${env['GREETING']} ${words['who']}`)
    return exitCodes.ok
  },
})
const fail = defineCommand({
  name: 'fail',
  summary: 'Fails',
  options: {},
  run: () => Promise.reject(new Failure('It is broken', { error: 'BROKEN' })),
})
const call = defineCommand({
  name: 'call',
  summary: 'Calls',
  options: {},
  run: () => Promise.reject(new Unreachable('Nobody answers')),
})
const commands: readonly AnyCommand[] = [greet, fail, call]

async function run(...args: string[]) {
  const lines = { out: [] as string[], notes: [] as string[] }
  const io: Io = {
    env: { GREETING: 'Hello' },
    out: (line) => void lines.out.push(line),
    note: (line) => void lines.notes.push(line),
    signal: new AbortController().signal,
    now: Date.now,
  }
  const code = await runCli(commands, args, io)
  return { code, out: lines.out.join('\n'), notes: lines.notes.join('\n') }
}

describe('runCli', () => {
  it('prints its version', async () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as { version: string }
    expect(await run('--version')).toEqual({ code: 0, out: `surehook ${version}`, notes: '' })
  })

  it.each([
    [[''], ['call', 'fail', 'greet']],
    [['g'], ['greet']],
    [['greet', ''], ['people']],
    [['-'], ['--help', '--version']],
    [
      ['greet', 'people', '--'],
      ['--from', '--help', '--json', '--loud', '--tag', '--times', '--tone'],
    ],
    [['greet', 'people', 'Ada', '--ti'], ['--times']],
    [
      ['greet', 'people', 'Ada', '--tone', ''],
      ['cold', 'kind'],
    ],
    [['unknown', ''], []],
  ])('completes %j', async (words, expected) => {
    const { code, out } = await run('__complete', ...words)
    expect({ code, words: out.split('\n').filter(Boolean) }).toEqual({ code: 0, words: expected })
  })

  it('passes options, arguments and variables to a command', async () => {
    const { code, out } = await run(
      'greet',
      'people',
      'Ada',
      '--from',
      'us',
      '--tag',
      'a',
      '--tag',
      'b',
      '--json',
    )
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({
      who: 'Ada',
      loud: false,
      times: '1',
      tag: ['a', 'b'],
      from: 'us',
      word: 'Hello',
    })
  })

  it('takes a value that begins with a dash', async () => {
    const { out } = await run('greet', 'people', 'Ada', '--from', '-us', '--json')
    expect(JSON.parse(out)).toMatchObject({ from: '-us' })
  })

  it.each([
    [['greet', 'people', '--from', 'us'], '<who> is missing'],
    [['greet', 'people', 'Ada'], '--from is missing'],
    [['greet', 'people', 'Ada', 'Bea', '--from', 'us'], 'unexpected argument "Bea"'],
    [['greet', 'people', 'Ada', '--from', 'us', '--token', 'x'], "Unknown option '--token'"],
    [['greet', 'people', 'Ada', '--from', 'us', '--tone', 'dry'], '--tone is one of kind, cold'],
    [['greet', 'animals'], 'There is no command "greet animals"'],
    [['unknown'], 'There is no command "unknown"'],
    [['greet'], 'greet people'],
  ])('exits with 2 for %j', async (args, reason) => {
    const { code, out, notes } = await run(...args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(notes).toContain(reason)
  })

  it('exits with 1 and the reason after a failure', async () => {
    expect(await run('fail')).toEqual({ code: 1, out: '', notes: 'It is broken' })
    const inJson = await run('fail', '--json')
    expect(inJson).toMatchObject({ code: 1, notes: '' })
    expect(JSON.parse(inJson.out)).toEqual({ message: 'It is broken', error: 'BROKEN' })
  })

  it('exits with 3 if nobody answers', async () => {
    expect(await run('call')).toEqual({ code: 3, out: '', notes: 'Nobody answers' })
  })

  it('prints help', async () => {
    const all = await run('--help')
    expect(all).toMatchObject({ code: 0, notes: '' })
    expect(all.out).toContain('greet people  Greets')
    expect((await run('greet', '--help')).out).not.toContain('fail')
    const one = await run('greet', 'people', '--help')
    expect(one.code).toBe(0)
    const example = '  surehook greet people Ada --from us'
    for (const part of [
      '<who>',
      '--from <text>',
      '(required)',
      '(default 1)',
      'GREETING',
      example,
    ]) {
      expect(one.out).toContain(part)
    }
    expect((await run('help', 'greet', 'people')).out).toBe(one.out)
  })
})
