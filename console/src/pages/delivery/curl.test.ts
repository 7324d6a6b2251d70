import { execFileSync } from 'node:child_process'
import { expect, it } from '@jest/globals'
import { curlOf, operationIn, sentHeaders, timestampIn } from './curl.ts'

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

const delivery = { webhookId: 'w-1', eventId: 'e-1' }

it('tells the headers of a delivery, and hides the values that the webhook sets', () => {
  const ownNames = ['Authorization', 'path', "x-it's"]
  expect(sentHeaders(delivery, { operation: 'INSERT', version: '1.2.3', ownNames })).toEqual([
    ['content-type', 'application/json'],
    ['user-agent', 'Surehook/1.2.3'],
    ['webhook-id', 'w-1'],
    ['x-service-delivery', 'e-1'],
    ['x-service-event', 'INSERT'],
    ['Authorization', { variable: 'HEADER_AUTHORIZATION' }],
    ['path', { variable: 'HEADER_PATH' }],
    ["x-it's", { variable: 'HEADER_X_IT_S' }],
  ])
})

it('tells no header that it does not know', () => {
  expect(sentHeaders({ ...delivery, webhookId: null }, { operation: null })).toEqual([
    ['content-type', 'application/json'],
    ['x-service-delivery', 'e-1'],
  ])
})

it('takes hidden values from variables of the shell, as one argument each', () => {
  const headers = [["x-it's", { variable: 'HEADER_X_IT_S' }]] as const
  const printed = curlOf('u', headers, 'b').replace(/^curl/, "printf '%s\\n'")
  const env = { PATH: '/usr/bin:/bin', HEADER_X_IT_S: 'a  b $HOME' }
  const lines = execFileSync('sh', ['-c', printed], { encoding: 'utf8', env }).split('\n')
  expect(lines[4]).toBe("x-it's: a  b $HOME")
})

it.each([
  ['{"event":"UPDATE"}', 'UPDATE'],
  ['{"event":1}', null],
  ['<', null],
  [null, null],
])('reads the operation of %p', (body, operation) => {
  expect(operationIn(body)).toBe(operation)
})

it('reads the time of the change', () => {
  const timestamp = '2026-11-25T12:00:00.000Z'
  expect(timestampIn(JSON.stringify({ timestamp }))).toBe(timestamp)
  expect(timestampIn(null)).toBeNull()
})
