import { expect, it } from '@jest/globals'
import { serverNameOf } from './tls-connector.ts'

it.each([
  ['hooks.example.', 'hooks.example'],
  ['hooks.example', 'hooks.example'],
  ['localhost.', 'localhost'],
  ['127.0.0.1', ''],
  ['::1', ''],
])('the name for SNI of %s is "%s"', (hostname, name) => {
  expect(serverNameOf(hostname)).toBe(name)
})
