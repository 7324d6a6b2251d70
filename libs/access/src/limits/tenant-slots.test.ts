import { expect, test } from '@jest/globals'
import { createProjectSlots, createTenantSlots } from './tenant-slots.ts'

test('each environment has slots of its own', async () => {
  const slots = createTenantSlots({ perTenant: 1, maxWaitMs: 3_000 })
  const slow = Promise.withResolvers<string>()
  const running = slots.run({ projectId: 'shop', environment: 'master' }, () => slow.promise)
  const other = slots.run({ projectId: 'shop', environment: 'staging' }, () => 'at once')
  expect(await other).toBe('at once')
  slow.resolve('late')
  expect(await running).toBe('late')
})

test('work that waits too long gets SERVICE_UNAVAILABLE', async () => {
  const slots = createTenantSlots({ perTenant: 1, maxWaitMs: 1 })
  const tenant = { projectId: 'shop', environment: 'master' }
  const slow = Promise.withResolvers<void>()
  const running = slots.run(tenant, () => slow.promise)
  const refused = slots.run(tenant, () => 'never')
  await expect(refused).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterS: 1 })
  slow.resolve()
  await running
})

test('a project holds at most a quarter of the connections', async () => {
  const run = createProjectSlots({ options: { max: 8 } as never })
  const slow = Promise.withResolvers<void>()
  const started: string[] = []
  const work = (name: string) => async () => {
    started.push(name)
    await slow.promise
  }
  const all = ['a', 'a', 'a', 'b'].map(async (project, n) => run(project, work(`${project}${n}`)))
  await new Promise((resolve) => setImmediate(resolve))
  expect(started).toEqual(['a0', 'a1', 'b3'])
  slow.resolve()
  await Promise.all(all)
})
