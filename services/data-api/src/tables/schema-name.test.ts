import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { schemaName } from './schema-name.ts'

// Few different characters, the ones that could be taken for a separator among them.
const id = fc.string({
  unit: fc.constantFrom('a', 'b', '_', '-', '"', ',', '/', '\\', '.', '🎉'),
  maxLength: 6,
})

describe('schemaName', () => {
  test('different environments have different schemas, however they are named', () => {
    fc.assert(
      fc.property(id, id, id, id, (projectId, environment, otherProjectId, otherEnvironment) => {
        const one = schemaName({ projectId, environment })
        const other = schemaName({ projectId: otherProjectId, environment: otherEnvironment })
        const same = projectId === otherProjectId && environment === otherEnvironment
        expect(one === other).toBe(same)
      }),
      { numRuns: 1_000 },
    )
  })

  test('is a plain identifier that PostgreSQL keeps whole', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (projectId, environment) => {
        expect(schemaName({ projectId, environment })).toMatch(/^d_[0-9a-f]{48}$/)
      }),
    )
  })
})
