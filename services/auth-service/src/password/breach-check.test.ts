import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { createBreachCheck } from './breach-check.ts'

const log = createLogger('test', 'silent')
const paths: (string | undefined)[] = []
const lines = (password: string, count: number) =>
  `0018A45C4D1DEF81644B54AB7F969B88D65:3\r\n${suffixOf(password)}:${count}\r\n`
const suffixOf = (password: string) =>
  createHash('sha1').update(password).digest('hex').toUpperCase().slice(5)

let answer = { status: 200, body: '' }
const server = createServer((req, res) => {
  paths.push(req.url)
  res.writeHead(answer.status).end(answer.body)
})
let url: string
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/range/`
})
afterAll(() => {
  server.close()
})

describe('the breach check', () => {
  it('finds a listed password and sends five digits of its hash, no more', async () => {
    answer = { status: 200, body: lines('tr0ub4dor&3', 12) }
    const isBreached = createBreachCheck(url, log)
    expect(await isBreached('tr0ub4dor&3')).toBe(true)
    const digest = createHash('sha1').update('tr0ub4dor&3').digest('hex').toUpperCase()
    expect(paths.at(-1)).toBe(`/range/${digest.slice(0, 5)}`)
    expect(await isBreached('another')).toBe(false)
  })

  it('does not treat padding as a match', async () => {
    answer = { status: 200, body: lines('tr0ub4dor&3', 0) }
    expect(await createBreachCheck(url, log)('tr0ub4dor&3')).toBe(false)
  })

  it('accepts the password when the service fails or is unreachable', async () => {
    answer = { status: 503, body: '' }
    expect(await createBreachCheck(url, log)('tr0ub4dor&3')).toBe(false)
    expect(await createBreachCheck('http://127.0.0.1:1/', log)('tr0ub4dor&3')).toBe(false)
  })
})
