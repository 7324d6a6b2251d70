import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from '@jest/globals'

/** Runs the command without a reader of its output. */
async function withoutReader(args: string[], { env = {}, input = '' } = {}) {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=source', main, ...args], { env })
  child.stdout.destroy()
  child.stdin.end(input)
  const notes = text(child.stderr)
  const [code] = await once(child, 'close')
  return { code, notes: await notes }
}

it('ends without a stack trace when the reader of its output has ended', async () => {
  expect(await withoutReader(['--help'])).toEqual({ code: 0, notes: '' })
})

it('does not end with 0 when the reader has ended before all changes are made', async () => {
  const changes: string[] = []
  // It answers only the requests that read, so a change never gets done.
  const server = createServer((request, response) => {
    if (request.method !== 'GET') changes.push(`${request.method} ${request.url}`)
    else
      response.setHeader('content-type', 'application/json').end('{"roles":[],"nextCursor":null}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  try {
    const env = {
      SUREHOOK_URL: `http://127.0.0.1:${port}`,
      SUREHOOK_PROJECT: 'shop',
      SUREHOOK_TOKEN: 'token',
    }
    const input = 'version: 2\nroles: { clerk: , guest: }\n'
    const ended = await withoutReader(['apply', '-', '--yes'], { env, input })
    expect(ended).toEqual({ code: 141, notes: '' })
    expect(changes.length).toBeLessThanOrEqual(1)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
