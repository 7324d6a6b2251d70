import { describe, expect, it } from '@jest/globals'
import { hasToolchain, missingToolchains } from './toolchains.ts'

const bare = { PATH: '/nowhere', CHROME_PATH: '/nowhere/chrome' }

describe('a tool that is not on the machine', () => {
  it('skips the tests that need it, and is named', () => {
    expect(hasToolchain('go', bare)).toBe(false)
    expect(missingToolchains(bare, ['python', 'go'])).toMatch(
      /^not tested \(python, go\): python3, .*go, /,
    )
  })

  it('is an error if everything is required', () => {
    const strict = { ...bare, TEST_REQUIRE: 'all' }
    expect(() => hasToolchain('python', strict)).toThrow('python3')
    // The summary still names it, because the step that needed it has already failed.
    expect(missingToolchains(strict, ['python'])).toContain('python')
  })
})
