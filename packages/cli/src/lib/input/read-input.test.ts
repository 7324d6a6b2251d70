import { Readable } from 'node:stream'
import { describe, expect, it } from '@jest/globals'
import { Failure, UsageError } from '../../cli/command.ts'
import { countOf, instantOf, objectOf } from './option-values.ts'
import { readInput, readObject } from './read-input.ts'

const piped = (text: string) => ({ stdin: Readable.from([text]) })
const terminal = { stdin: Object.assign(Readable.from([]), { isTTY: true }) }

describe('readInput', () => {
  it('reads --data, else --file, else the standard input', async () => {
    expect(await readInput({ data: '{"a":1}' }, terminal)).toEqual({ a: 1 })
    expect(await readInput({ file: '-' }, piped('[1]'))).toEqual([1])
    expect(await readInput({}, piped('{"b":2}'))).toEqual({ b: 2 })
  })

  it('refuses what it cannot read, and waits for nobody at a terminal', async () => {
    await expect(readInput({ data: '{' }, terminal)).rejects.toThrow(UsageError)
    await expect(readInput({ data: '1', file: 'x' }, terminal)).rejects.toThrow(UsageError)
    await expect(readInput({}, terminal)).rejects.toThrow(/--file/)
    await expect(readInput({}, piped('{'))).rejects.toThrow(Failure)
    await expect(readInput({ file: '/nowhere/x.json' }, terminal)).rejects.toThrow(/x\.json/)
    await expect(readObject({ data: '[]' }, terminal)).rejects.toThrow(/object/)
  })
})

it('reads the values of options', () => {
  const now = Date.parse('2026-11-25T12:00:00Z')
  expect(instantOf('since', '90m', now).toISOString()).toBe('2026-11-25T10:30:00.000Z')
  expect(instantOf('since', '2026-01-31T12:00:00Z', now).toISOString()).toContain('2026-01-31')
  expect(() => instantOf('since', 'yesterday', now)).toThrow('--since')
  expect(countOf('limit', '20')).toBe(20)
  for (const text of ['0', '-1', '1.5', 'x', '']) {
    expect(() => countOf('limit', text)).toThrow('--limit')
  }
  expect(objectOf('filter', '{"a":1}')).toEqual({ a: 1 })
  for (const text of ['[1]', 'null', '{'])
    expect(() => objectOf('filter', text)).toThrow('--filter')
})
