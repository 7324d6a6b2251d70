import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { freePort, isListening } from '@surehook/scripts/lib/ports'
import {
  type InstalledPackages,
  installPackages,
} from '@surehook/scripts/published/installed-packages'
import { until } from '@surehook/testing/until'
import { newSecret } from 'surehook/lib/new-secret'
import { commandsOf, startShell, strangersVariables } from '../support/commands/checkout.ts'
import { newPath } from '../support/listening-world.ts'
import {
  openSharedListeningWorld,
  type SharedListeningWorld,
} from '../support/shared/shared-world.ts'
import { postTo } from './receivers.ts'

let resources: AsyncDisposableStack
let world: SharedListeningWorld
let installed: InstalledPackages

beforeAll(async () => {
  resources = new AsyncDisposableStack()
  installed = resources.use(await installPackages(['receiver'], ['express@5.3.0']))
  world = resources.use(await openSharedListeningWorld())
})
afterAll(async () => resources.disposeAsync())

const firstScreen = { file: 'README.md', to: '## What it does' }

it('the first screen of the README works as printed', async () => {
  const secret = newSecret()
  const port = await freePort()
  const readme = await readFile(`${repoRoot}/README.md`, 'utf8')
  const [, code = ''] = /```js\n(.*?)```/s.exec(readme) ?? []
  await installed.write('server.mjs', code.replace('8000', String(port)))
  await using receiver = startShell(installed.dir, 'exec node server.mjs', {
    ...strangersVariables,
    WEBHOOK_SECRET: secret,
  })
  await until(() => isListening(port), { what: 'the receiver listens' })

  const tenant = await world.tenant()
  await tenant.putTable('orders', { status: 'text', n: 'integer', note: 'text', customer: 'text' })
  const statuses: number[] = []
  const path = newPath()
  world.receiver.answer(path, async (delivery) => {
    const forged = { ...delivery, body: delivery.body.replace('Ada', 'Eve') }
    for (const sent of [forged, delivery]) statuses.push(await postTo(port, { ...sent, path: '/' }))
    return { status: statuses.at(-1) ?? 0 }
  })
  await tenant.subscribe(world.receiver.url(path), { secret })
  const [start, write = '', ...others] = await commandsOf(firstScreen)
  expect([start, others]).toEqual(['npm start\n', []])
  await using writing = startShell(installed.dir, write, {
    ...strangersVariables,
    SUREHOOK_URL: world.system.baseUrl,
    SUREHOOK_PROJECT: tenant.projectId,
    SUREHOOK_TOKEN: tenant.token,
  })
  expect({ code: await writing.ended, out: writing.out() }).toMatchObject({ code: 0 })
  await until(() => receiver.out().includes('INSERT orders Ada\n'), {
    what: 'the receiver prints the change',
  })
  expect(statuses).toEqual([500, 204])
})
