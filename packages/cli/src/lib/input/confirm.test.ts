import { PassThrough } from 'node:stream'
import { expect, it } from '@jest/globals'
import { UsageError } from '../../cli/command.ts'
import { confirm } from './confirm.ts'

const { signal } = new AbortController()
const terminal = (typed: string) => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  stdin.write(`${typed}\r`)
  return stdin
}

it.each([
  ['yes', true],
  [' yes ', true],
  ['y', false],
  ['', false],
  ['no', false],
])('goes on only after "yes": %j', async (typed, expected) => {
  const io = { stdin: terminal(typed), signal }
  expect(await confirm(io, 'Change shop/master?', new PassThrough())).toBe(expected)
})

it('takes no piped text for an answer', async () => {
  const stdin = new PassThrough()
  stdin.end('yes\n')
  await expect(confirm({ stdin, signal }, 'Change shop/master?')).rejects.toThrow(UsageError)
})
