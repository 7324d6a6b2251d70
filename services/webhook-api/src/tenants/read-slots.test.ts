import { expect, it } from '@jest/globals'
import { createReadSlots } from './read-slots.ts'

it('reads of an environment run one at a time, few may wait, and another one has its own slot', async () => {
  const slots = createReadSlots()
  const started: string[] = []
  const reading = Promise.withResolvers<void>()
  const take = (environment: string) =>
    slots.run({ projectId: 'shop', environment }, async () => {
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
