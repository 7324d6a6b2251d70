import { readdir, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { freePort, isFree, isListening } from '@surehook/scripts/lib/ports'
import { createCertificates } from '@surehook/scripts/receiver/certificates'
import { serviceNames, singleProcess } from '@surehook/scripts/system/service-catalog'
import { until } from '@surehook/testing/until'
import { commandsOf, startShell, strangersVariables } from '../support/commands/checkout.ts'
import { type Clone, openClone } from '../support/commands/clone.ts'

let clone: Clone

beforeAll(async () => {
  clone = await openClone()
})
afterAll(async () => clone?.[Symbol.asyncDispose]())

/** The variables of a stranger, with a port that is free and an authority that exists. */
async function usableVariables(): Promise<NodeJS.ProcessEnv> {
  const file = `${clone.dir}/.local/own-ca.pem`
  await writeFile(file, (await createCertificates()).ca)
  return { ...strangersVariables, PORT: String(await freePort()), WEBHOOK_EXTRA_CA_FILE: file }
}

const readme = { file: 'README.md', from: '## Your first webhook', to: '## Receive webhooks' }

it.each([
  // Without CI, it would make the project demo if its output were a terminal.
  ['one process', { CI: '' }, [singleProcess], 'terminate'],
  ['a process each', { SUREHOOK_MODE: 'separate' }, serviceNames, 'interrupt'],
] as const)('`npm start` runs %s, and the README works as printed', async (_, mode, pids, end) => {
  const env: NodeJS.ProcessEnv = { ...(await usableVariables()), ...mode }
  await using system = startShell(clone.dir, 'exec npm start', env)
  await until(() => isReady(system), { what: '`npm start` is ready', timeoutMs: 600_000 })
  expect(await running()).toEqual(pids.toSorted())
  const says = expect.stringContaining('Project demo was not made: the output is not a terminal')
  expect(system.out()).toEqual('CI' in mode ? says : expect.not.stringContaining('Project demo'))

  const receiverPort = await freePort()
  const receiving = { ...env, RECEIVER_PORT: String(receiverPort) }
  const [start = '', ...blocks] = await commandsOf(readme)
  await using receiver = startShell(clone.dir, `exec ${start}`, receiving)
  await until(() => isListening(receiverPort), { what: 'the receiver listens' })
  const commands = blocks.join('\n').replaceAll('9443', String(receiverPort))
  await using tour = startShell(clone.dir, `${commands}\nnpx surehook try`, env)
  expect({ code: await tour.ended, out: tour.out() }).toMatchObject({
    code: 0,
    out: expect.stringMatching(/status: 'delivered'[^]*with a valid signature/),
  })
  expect(receiver.out()).toContain('INSERT')
  // npm ends last, so that the next `npm start` finds everything free.
  await system[end]()
  expect(await running()).toEqual([])
  expect(await isFree(Number(env['PORT']))).toBe(true)
})

/** Returns the names of the processes that run the services. */
async function running(): Promise<string[]> {
  const files = await readdir(`${clone.dir}/.local/system/run`)
  return files.flatMap((file) => /^(.+)\.pid$/.exec(file)?.slice(1) ?? []).toSorted()
}

/** Throws if the system has ended. */
async function isReady(system: { out(): string; ended: Promise<unknown> }): Promise<boolean> {
  const hasEnded = await Promise.race([system.ended.then(() => true), Promise.resolve(false)])
  if (hasEnded) throw new Error(`npm start ended:\n${system.out()}`)
  return system.out().includes('Surehook is ready')
}
