import { describe, expect, it } from '@jest/globals'
import { chooseInfra } from './choose-infra.ts'

describe('TEST_INFRA', () => {
  it.each(['local', 'containers'] as const)('%s is taken at its word', async (infra) => {
    expect(await chooseInfra({ TEST_INFRA: infra })).toBe(infra)
  })

  it('anything else is refused by its name', async () => {
    await expect(chooseInfra({ TEST_INFRA: 'docker' })).rejects.toThrow(
      'TEST_INFRA is "local" or "containers", not "docker"',
    )
  })
})
