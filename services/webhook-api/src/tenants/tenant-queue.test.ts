import { expect, it } from '@jest/globals'
import { TenantQueue } from './tenant-queue.ts'

it('reads of an environment take turns, few may wait, and another one has its own turns', async () => {
  const turns = new TenantQueue()
  const started: string[] = []
  const reading = Promise.withResolvers<void>()
  const take = (environment: string) =>
    turns.take({ projectId: 'shop', environment }, async () => {
      started.push(environment)
      await reading.promise
    })
  const reads = [...Array.from({ length: 5 }, () => take('master')), take('dev')]
  await expect(take('master')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' })
  expect(started).toEqual(['master', 'dev'])
  reading.resolve()
  await Promise.all(reads)
  expect(started).toHaveLength(6)
})
