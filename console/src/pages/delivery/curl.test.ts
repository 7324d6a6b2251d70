import { execFileSync } from 'node:child_process'
import { expect, it } from '@jest/globals'
import { curlOf, operationIn } from './curl.ts'

it('quotes every byte for the shell', () => {
  const body = `{"a":"it's $HOME \`id\` \\\\ \\n"}`
  const command = curlOf("https://example.com/?a='b'", [['x-a', "it's"]], body)
  const printed = command.replace(/^curl/, "printf '%s\\n'")
  expect(execFileSync('sh', ['-c', printed], { encoding: 'utf8' }).split('\n')).toEqual([
    '-X',
    'POST',
    "https://example.com/?a='b'",
    '-H',
    "x-a: it's",
    '--data-binary',
    body,
    '',
  ])
})

it.each([
  ['{"event":"UPDATE"}', 'UPDATE'],
  ['{"event":1}', null],
  ['<', null],
  [null, null],
])('reads the operation of %p', (body, operation) => {
  expect(operationIn(body)).toBe(operation)
})
