import { expect, it } from '@jest/globals'
import { createReadSlots } from './read-slots.ts'

it('reads of a project run one at a time, few may wait, and another project has its own slot', async () => {
  const slots = createReadSlots()
  const started: string[] = []
  const reading = Promise.withResolvers<void>()
  const take = (projectId: string, environment: string) =>
    slots.run({ projectId, environment }, async () => {
      started.push(`${projectId}/${environment}`)
      await reading.promise
    })
  const five = Array.from({ length: 5 }, () => take('shop', 'master'))
  const reads = [...five, take('shop', 'dev'), take('bank', 'master')]
  await expect(take('shop', 'master')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' })
  expect(started).toEqual(['shop/master', 'bank/master'])
  reading.resolve()
  await Promise.all(reads)
  expect(started).toHaveLength(7)
  expect(started.indexOf('shop/dev')).toBeLessThan(5)
})
