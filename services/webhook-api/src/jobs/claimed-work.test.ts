import { expect, it } from '@jest/globals'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { runClaimedWork } from './claimed-work.ts'

const log = createLogger('test', 'silent')

it('lets the jobs of other projects go on at once while the job of one fails', async () => {
  const done: string[] = []
  const finished = Promise.withResolvers<void>()
  await using _work = runClaimedWork({
    waiting: async () => ['failing', 'other'].map((id) => ({ id, projectId: id })),
    claim: async ({ id }) => id,
    async work(id) {
      done.push(id)
      if (id === 'failing') throw new Error('Kafka is away')
      if (done.length === 20) finished.resolve()
      return 0
    },
    postpone: async () => undefined,
    events: { failed: 'job.failed', notPostponed: 'job.not_postponed' },
    log,
  })
  await finished.promise
  expect(done.filter((id) => id === 'failing')).toHaveLength(1)
})
