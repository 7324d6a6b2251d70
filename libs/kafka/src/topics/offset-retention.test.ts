import { describe, expect, it } from '@jest/globals'
import type { Admin } from '../client/surface.ts'
import { checkOffsetRetention } from './offset-retention.ts'

const setting = 'offsets.retention.minutes'
const days = (count: number) => String(count * 24 * 60)

/**
 * Returns the warnings for brokers with these values. `null`: a broker that does not report its
 * value.
 */
async function warnings(values: readonly (string | null)[]) {
  const admin = {
    connect: async () => undefined,
    disconnect: async () => undefined,
    describeCluster: async () => ({ brokers: values.map((_, nodeId) => ({ nodeId })) }),
    describeConfigs: async ({ resources }: { resources: { name: string }[] }) => {
      const configValue = values[Number(resources[0]?.name)] ?? null
      const configEntries = configValue === null ? [] : [{ configName: setting, configValue }]
      return { resources: [{ configEntries }] }
    },
  } as unknown as Admin
  return warningsOf(() => admin)
}

async function warningsOf(admin: () => Admin) {
  const warned: object[] = []
  const warn = (fields: object, event: string) => void warned.push({ event, ...fields })
  await checkOffsetRetention({ admin }, { groupId: 'readers', log: { warn } as never })
  return warned
}

describe('checkOffsetRetention', () => {
  it('is silent when every broker keeps commits for 90 days or more', async () => {
    expect(await warnings([days(90), days(3650)])).toEqual([])
  })

  it('warns with the setting to change when one of them keeps commits for less time', async () => {
    expect(await warnings([days(3650), days(7)])).toEqual([
      {
        event: 'kafka.offset_retention.short',
        groupId: 'readers',
        setting,
        minutes: 10_080,
        leastMinutes: 129_600,
        recommendedMinutes: 5_256_000,
      },
    ])
  })

  it('warns when a broker does not answer or denies the request', async () => {
    const unknown = expect.objectContaining({ event: 'kafka.offset_retention.unknown', setting })
    expect(await warnings([days(3650), null])).toEqual([unknown])
    const denied = async () => {
      throw new Error('Cluster authorization failed')
    }
    const admin = { connect: denied, disconnect: async () => undefined } as unknown as Admin
    expect(await warningsOf(() => admin)).toEqual([unknown])
  })

  it('warns when the value is no number', async () => {
    expect(await warnings(['soon'])).toHaveLength(1)
  })
})
