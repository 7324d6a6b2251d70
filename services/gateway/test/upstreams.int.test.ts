import { connect } from 'node:net'
import { describe, expect, it } from '@jest/globals'
import { pino } from 'pino'
import { startStand } from './gateway.ts'

describe('an upstream', () => {
  async function expectUnavailable(answer: Response): Promise<void> {
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(answer.headers.get('x-request-id')).toMatch(/./)
    expect(await answer.json()).toEqual({
      error: 'SERVICE_UNAVAILABLE',
      message: expect.not.stringMatching(/127\.0\.0\.1|ECONN|socket/),
    })
  }

  it('that is down is 503 and leaves the others alone', async () => {
    await using other = await startStand()
    await other.data[Symbol.asyncDispose]()
    await expectUnavailable(await fetch(`${other.url}/gw/api/rest/orders`))
    expect((await fetch(`${other.url}/auth/x`)).status).toBe(200)
  })

  it('that refuses the connection gets the same body again', async () => {
    const upstream: { comesBack?: () => void } = {}
    const write = (line: string) => {
      if (line.includes('upstream.unreached')) upstream.comesBack?.()
    }
    const log = pino({}, { write })
    await using other = await startStand({}, log)
    const { data } = other
    await data[Symbol.asyncDispose]()
    upstream.comesBack = () => void data.server.listen(Number(new URL(data.url).port), '127.0.0.1')
    const request = { method: 'POST', body: '{"total":1}' }
    expect((await fetch(`${other.url}/gw/api/rest/orders`, request)).status).toBe(200)
    expect(data.seen).toMatchObject([request])
  })

  it('that does not answer in time is asked once, and the client gets 503', async () => {
    await using other = await startStand({ GATEWAY_UPSTREAM_TIMEOUT: '100ms' })
    let asked = 0
    other.data.answer = () => void asked++
    await expectUnavailable(
      await fetch(`${other.url}/gw/api/rest/orders`, { method: 'POST', body: '{}' }),
    )
    expect(asked).toBe(1)
  })

  it('that hangs up instead of answering is 503', async () => {
    await using other = await startStand()
    other.data.answer = (req) => void req.socket.destroy()
    await expectUnavailable(await fetch(`${other.url}/gw/api/rest/orders`))
  })

  it('that sends garbage is 503', async () => {
    await using other = await startStand()
    other.data.answer = (req) => void req.socket.end('nonsense\r\n\r\n')
    await expectUnavailable(await fetch(`${other.url}/gw/api/rest/orders`))
  })

  it('that breaks off in the middle truncates the answer visibly', async () => {
    await using other = await startStand()
    other.data.answer = (req, res) => {
      res.writeHead(200, { 'Content-Length': '100' })
      res.write('half', () => req.socket.destroy())
    }
    const answer = await fetch(`${other.url}/gw/api/rest/orders`)
    await expect(answer.text()).rejects.toThrow()
    expect((await fetch(`${other.url}/healthz`)).status).toBe(200)
  })

  it('may answer before it has read the body, and the client keeps its connection', async () => {
    await using other = await startStand()
    other.data.answer = (_req, res) => void res.writeHead(409, { 'Content-Length': '2' }).end('no')
    for (const size of [100, 1_000_000]) {
      const answer = await fetch(`${other.url}/gw/api/rest/orders`, {
        method: 'POST',
        body: 'x'.repeat(size),
      })
      expect([answer.status, await answer.text()]).toEqual([409, 'no'])
    }
    expect((await fetch(`${other.url}/auth/x`)).status).toBe(200)
  })

  it('notices when the client leaves', async () => {
    await using other = await startStand()
    const left = Promise.withResolvers<void>()
    const leave = new AbortController()
    other.data.answer = (_req, res) => {
      res.once('close', () => left.resolve())
      leave.abort()
    }
    const answer = fetch(`${other.url}/gw/api/rest/orders`, { signal: leave.signal })
    await expect(answer).rejects.toThrow()
    await left.promise
  })

  it('finishes its requests when the gateway stops', async () => {
    const other = await startStand()
    const asked = Promise.withResolvers<void>()
    const mayAnswer = Promise.withResolvers<void>()
    other.data.answer = (_req, res) => {
      asked.resolve()
      void mayAnswer.promise.then(() => res.end('done'))
    }
    const answer = fetch(`${other.url}/gw/api/rest/orders`)
    await asked.promise
    const stopped = other[Symbol.asyncDispose]()
    mayAnswer.resolve()
    expect(await (await answer).text()).toBe('done')
    await stopped
    await expect(fetch(`${other.url}/healthz`)).rejects.toThrow()
  })

  it('never gets a partial request as a complete one', async () => {
    await using other = await startStand()
    const began = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<string>()
    other.data.answer = (req) => {
      req.once('data', () => began.resolve())
      req.once('end', () => ended.resolve('whole'))
      req.once('error', () => ended.resolve('broken off'))
    }
    const client = connect(other.port, '127.0.0.1')
    const head =
      'POST /gw/api/rest/orders HTTP/1.1\r\nHost: g\r\nTransfer-Encoding: chunked\r\n\r\n'
    // Larger than the spool limit: a smaller body would not reach the upstream.
    const large = 128 * 1024
    client.write(`${head}${large.toString(16)}\r\n${'x'.repeat(large)}\r\n`)
    await began.promise
    client.destroy()
    expect(await ended.promise).toBe('broken off')
  })

  it('is read no faster than the client reads', async () => {
    await using other = await startStand()
    const chunk = Buffer.alloc(65_536)
    let written = 0
    const full = Promise.withResolvers<void>()
    const whole = 64 * 1024 * 1024
    other.data.answer = (_req, res) => {
      const write = () => {
        while (written < whole) {
          written += chunk.length
          if (!res.write(chunk)) {
            const stuck = setTimeout(() => full.resolve(), 500)
            res.once('drain', () => {
              clearTimeout(stuck)
              write()
            })
            return
          }
        }
        res.end()
        full.resolve()
      }
      write()
    }
    const answer = await fetch(`${other.url}/gw/api/rest/orders`)
    await full.promise
    expect(written).toBeLessThan(whole)
    expect((await answer.arrayBuffer()).byteLength).toBe(whole)
  })
})
