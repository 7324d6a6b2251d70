import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { type Certificates, createCertificates } from '@surehook/scripts/receiver/certificates'
import { TcpProxy } from '@surehook/testing/tcp-proxy'
import { until } from '@surehook/testing/until'
import type { AttemptResult } from '../src/transitions/decide-next-attempt.ts'
import { NameServer } from './support/name-server.ts'
import type { PostingSettings } from './support/posting-process.ts'
import { ProtocolReceiver } from './support/protocol-receiver.ts'

const timeoutMs = 3_000
/** The length of the stall: every wall-clock limit ends during it. */
const standsStillMs = 2 * timeoutMs

let certificates: Certificates
let open: AsyncDisposableStack
let receiver: ProtocolReceiver
let child: ChildProcess
let names: NameServer

beforeAll(async () => {
  certificates = await createCertificates({ names: ['localhost', 'receiver.example'] })
})
beforeEach(async () => {
  open = new AsyncDisposableStack()
  receiver = open.use(await ProtocolReceiver.open(certificates, 'HTTP/1.1 alone'))
  names = open.use(await NameServer.open(() => ({ addresses: ['127.0.0.1'], ttl: 0 })))
  const settings: PostingSettings = { ca: certificates.ca, timeoutMs, servers: [names.address] }
  child = fork(
    new URL('./support/posting-process.ts', import.meta.url).pathname,
    [JSON.stringify(settings)],
    { execArgv: ['--conditions=source'] },
  )
  open.defer(async () => {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  })
  await once(child, 'message')
})
afterEach(() => open.disposeAsync())

async function post(port: number, host = 'localhost'): Promise<AttemptResult> {
  const url = `https://${host}:${port}/`
  child.send({ tenant: 't', url, headers: {}, body: '{}' })
  const [result] = (await once(child, 'message')) as [AttemptResult]
  return result
}

async function stopWhile(work: () => void): Promise<void> {
  child.kill('SIGSTOP')
  work()
  await wait(standsStillMs)
  child.kill('SIGCONT')
}

describe('a dispatcher that was stopped for longer than an attempt may take', () => {
  it('accepts the answer that arrived meanwhile', async () => {
    let answer = () => {}
    receiver.behave = (res) => {
      answer = () => void res.writeHead(204).end()
    }
    const result = post(receiver.port)
    await until(() => receiver.versions.length === 1)
    await stopWhile(() => answer())
    expect(await result).toMatchObject({ kind: 'responded', status: 204 })
  })

  it('still waits for an answer to a request that it could not send before', async () => {
    receiver.behave = (res) => void setTimeout(() => res.writeHead(204).end(), timeoutMs / 4)
    const proxy = open.use(await TcpProxy.open(receiver.port))
    proxy.set({ kind: 'drop' })
    const result = post(proxy.port)
    await until(() => proxy.connections === 1)
    await stopWhile(() => proxy.set({ kind: 'pass' }))
    expect(await result).toMatchObject({ kind: 'responded', status: 204 })
  })

  it('accepts the answer of a name server that arrived meanwhile', async () => {
    names.hold()
    const result = post(receiver.port, 'receiver.example')
    await until(() => names.asked.length > 0)
    await stopWhile(() => names.letGo())
    expect(await result).toMatchObject({ kind: 'responded', status: 204 })
  })

  it('gives up a receiver that stays silent', async () => {
    receiver.behave = () => {}
    const result = post(receiver.port)
    await until(() => receiver.versions.length === 1)
    await stopWhile(() => {})
    expect(await result).toMatchObject({ kind: 'unreachable', errorClass: 'timeout' })
  })
})
