import { expect, it } from '@jest/globals'
import { type Dependencies, lookAtDependencies } from './dependencies.ts'

const away = async () => {
  throw new Error('away')
}

it('names the command that it needs to check Redis and may not use', async () => {
  const info = async () => {
    throw new Error("NOPERM this user has no permissions to run the 'info' command")
  }
  const { findings } = await lookAtDependencies({
    pool: { query: away },
    historyPool: { query: away },
    kafka: { admin: () => ({ connect: away, disconnect: async () => {} }) },
    redis: { isConfigured: true, client: { info } },
    config: { delayNames: [] },
  } as unknown as Dependencies)
  expect(findings.filter(({ area }) => area === 'redis')).toEqual([
    {
      area: 'redis',
      level: 'skipped',
      says: 'it answers, but is not checked: the user of webhook-api lacks the command INFO',
    },
  ])
})
