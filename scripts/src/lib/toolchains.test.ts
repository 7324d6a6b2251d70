import { describe, expect, it } from '@jest/globals'
import { hasToolchain, missingToolchains } from './toolchains.ts'

const bare = { PATH: '/nowhere' }

describe('a tool that is not on the machine', () => {
  it('leaves out what needs it, and is named', () => {
    expect(hasToolchain('go', bare)).toBe(false)
    expect(missingToolchains(bare)).toMatch(
      /^not tested \(python, go, helm, promtool\): python3, .*go, /,
    )
  })

  it('is an error where everything is required', () => {
    expect(() => hasToolchain('python', { ...bare, TEST_REQUIRE: 'all' })).toThrow('python3')
  })
})
