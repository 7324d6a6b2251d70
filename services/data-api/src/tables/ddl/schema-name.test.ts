import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { schemaName } from './schema-name.ts'

// Few different characters, among them all that could be taken for a separator.
const id = fc.string({
  unit: fc.constantFrom('a', 'b', '_', '-', '"', ',', '/', '\\', '.', '🎉'),
  maxLength: 6,
})

const environment = fc.record({ projectId: id, environment: id })

describe('schemaName', () => {
  test('different environments have different schemas, however they are named', () => {
    fc.assert(
      fc.property(environment, environment, (one, other) => {
        const same = one.projectId === other.projectId && one.environment === other.environment
        expect(schemaName(one) === schemaName(other)).toBe(same)
      }),
      { numRuns: 1_000 },
    )
  })

  test('is a plain identifier that PostgreSQL does not truncate', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (projectId, name) => {
        expect(schemaName({ projectId, environment: name })).toMatch(/^d_[0-9a-f]{48}$/)
      }),
    )
  })
})
