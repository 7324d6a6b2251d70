import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { ensureDemoCa } from '../receiver/demo-ca.ts'
import { openTestReceiver, statusIn } from './test-receiver.ts'

it.each([
  ['/', 204],
  ['/?status=503', 503],
  ['/hooks?a=1&status=410', 410],
  ['/?status=101', 204],
  ['/?status=1e9', 204],
  ['/?status=x', 204],
])('answers %s with %d', (url, status) => {
  expect(statusIn(url)).toBe(status)
})

it('uses a free port if its own is taken', async () => {
  await using dir = await mkdtempDisposable(join(tmpdir(), 'surehook-test-receiver-'))
  const demoCa = await ensureDemoCa(join(dir.path, 'demo-ca'))
  await using first = await openTestReceiver(demoCa, 0)
  const port = Number(new URL(first.url).port)
  await using again = await openTestReceiver(demoCa, port)
  expect(new URL(again.url).port).not.toBe(String(port))
})
