import { PassThrough } from 'node:stream'
import { describe, expect, it } from '@jest/globals'
import type { StreamedChange } from '@surehook/client'
import { onKeyPresses } from './key-presses.ts'
import { Listener } from './listen.ts'

const change = (id: string): StreamedChange => ({
  cursor: id,
  headers: {},
  body: JSON.stringify({
    id,
    timestamp: '2026-01-01T00:00:00.000Z',
    table: 'orders',
    event: 'INSERT',
  }),
})

async function* stream(...changes: StreamedChange[]) {
  yield* changes
}

function listening(statusOf: (id: string) => number, ...changes: StreamedChange[]) {
  const [forwarded, notes]: [string[], string[]] = [[], []]
  const listener = new Listener({
    changes: stream(...changes),
    forward: async ({ cursor }) => {
      forwarded.push(cursor)
      return { status: statusOf(cursor), error: null, ms: 1 }
    },
    exitAfter: null,
    json: false,
    io: { out: () => {}, note: (text) => notes.push(text) },
  })
  return { listener, forwarded, notes }
}

describe('surehook listen', () => {
  it('forwards the changes, and counts those that failed', async () => {
    const statusOf = (id: string) => (id === 'b' ? 500 : 204)
    const changes = [change('a'), change('b'), change('c')]
    const { listener, forwarded } = listening(statusOf, ...changes)
    expect(await listener.run()).toBe(1)
    expect(forwarded).toEqual(['a', 'b', 'c'])
  })

  it('sends the newest change again, also one that succeeded', async () => {
    const { listener, forwarded } = listening(() => 204, change('a'), change('b'))
    await listener.run()
    await listener.resendNewest()
    expect(forwarded).toEqual(['a', 'b', 'b'])
  })

  it('sends the failed changes again until they succeed', async () => {
    let status = 500
    const { listener, forwarded, notes } = listening(() => status, change('a'), change('b'))
    await listener.run()
    await listener.resendFailed()
    status = 204
    await listener.resendFailed()
    await listener.resendFailed()
    expect(forwarded).toEqual(['a', 'b', 'a', 'b', 'a', 'b'])
    expect(notes).toEqual(['no change has failed'])
  })

  it('says that there is nothing to send again', async () => {
    const { listener, forwarded, notes } = listening(() => 204)
    await listener.resendNewest()
    expect([forwarded, notes]).toEqual([[], ['no change has come yet']])
  })
})

/** A stand-in for a terminal: streams of tests are none. */
function terminal(isTTY: boolean) {
  const modes: boolean[] = []
  const input = Object.assign(new PassThrough(), {
    isTTY,
    setRawMode: (mode: boolean) => modes.push(mode),
  })
  return { input: input as unknown as NodeJS.ReadStream, modes }
}

describe('keys', () => {
  it('act in a terminal until they are disposed, and leave it as it was', async () => {
    const { input, modes } = terminal(true)
    const pressed: string[] = []
    const keys = onKeyPresses(input, { r: () => pressed.push('r'), f: () => pressed.push('f') })
    for (const key of ['r', 'z', 'f']) input.emit('keypress', key, { name: key })
    keys[Symbol.dispose]()
    input.emit('keypress', 'r', { name: 'r' })
    expect(pressed).toEqual(['r', 'f'])
    expect(modes).toEqual([true, false])
  })

  it('do nothing without a terminal', () => {
    const { input, modes } = terminal(false)
    onKeyPresses(input, { r: () => {} })[Symbol.dispose]()
    expect(modes).toEqual([])
    expect(input.listenerCount('keypress')).toBe(0)
  })
})
