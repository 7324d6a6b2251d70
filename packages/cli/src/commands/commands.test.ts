import { describe, expect, it } from '@jest/globals'
import { candidates } from '../cli/completion.ts'
import { usageOf } from '../cli/help.ts'
import { commands } from './commands.ts'

describe('the commands', () => {
  it('have unique names', () => {
    const names = commands.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  it('accept no secret as an argument', () => {
    const named = commands.flatMap(({ options }) =>
      Object.keys(options).filter((name) => options[name]?.type === 'string'),
    )
    expect(named.filter((name) => /(?:token|secret|password)$/.test(name))).toEqual([])
  })

  it.each([
    [['webhooks', 'rot'], ['rotate-secret']],
    [
      ['deliveries', ''],
      ['cancel', 'redeliver', 'search', 'show'],
    ],
    [
      ['deliveries', 'search', '--status', 'd'],
      ['dead_letter', 'delivered'],
    ],
    [
      ['webhooks', 'cancel', 'w1', '--status', ''],
      ['paused', 'retrying'],
    ],
    [['tail', '--f'], ['--failed']],
    [['log'], ['login', 'logout']],
  ])('are completed: %j', (words, expected) => {
    expect(candidates(commands, words)).toEqual(expected)
  })

  it('have examples that name a command and its options', () => {
    const wrong = commands.flatMap(({ name, examples = [], options }) =>
      examples.filter((example) => {
        const named = [...example.matchAll(/ --([\w-]+)/g)].map(([, option = '']) => option)
        const isOther = !example.startsWith(name)
        return !isOther && named.some((option) => option !== 'json' && !(option in options))
      }),
    )
    expect(wrong).toEqual([])
  })

  it('say how they are called', () => {
    const replay = commands.find(({ name }) => name === 'replay')
    expect(replay && usageOf(replay)).toBe('surehook replay <webhook> [options]')
  })
})
