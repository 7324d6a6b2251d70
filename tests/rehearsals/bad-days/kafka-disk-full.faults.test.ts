import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, it } from '@jest/globals'
import { admin } from '@surehook/scripts/client/call'
import { startLocalStack } from '@surehook/scripts/local-stack/local-stack'
import { until } from '@surehook/testing/until'
import { allReady } from '../../support/all-ready.ts'
import {
  type FaultWorld,
  openFaultWorld,
  undecidedAtMost,
} from '../../support/deliveries/fault-world.ts'
import { type FullDisk, prepareFullDisk } from './full-disk.ts'

let controls: string
let disk: FullDisk | null
let world: FaultWorld

beforeAll(async () => {
  controls = await mkdtemp(join(tmpdir(), 'surehook-full-disk-'))
  world = await openFaultWorld({}, (dir) => {
    disk = prepareFullDisk(controls, `${dir}/kafka/`)
    return startLocalStack({ dir, env: disk === null ? {} : { kafka: disk.env } })
  })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await rm(controls, { recursive: true, force: true })
})

it('a full disk ends the Kafka broker; after it has room and restarts, nothing is lost', async () => {
  if (disk === null) {
    process.stdout.write('no C compiler here, or not Linux: a full disk was not tested\n')
    return
  }
  const full = disk
  const { kafka } = world.system.stack.processes
  const tenant = await world.tenant()
  const load = { cause: 'the disk of Kafka full', changes: 600, mayRepeat: undecidedAtMost }
  await world.duringLoad(load, async () => {
    full.setFull(true)
    const hasEnded = () => kafka?.pid === undefined
    await until(hasEnded, { what: 'the end of the broker' })
    const path = `PUT /${tenant.projectId}/environments/other`
    const refused = async () => (await admin(world.system, path, {})).status === 503
    await until(refused, { what: 'a refusal of what cannot be made known' })
    full.setFull(false)
    await kafka?.restart()
  })
  await allReady(world.system)
})
