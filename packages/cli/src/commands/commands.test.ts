import { describe, expect, it } from '@jest/globals'
import { commands } from './commands.ts'

describe('the commands', () => {
  it('have unique names', () => {
    const names = commands.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  it('accept no secret as an argument', () => {
    const named = commands.flatMap(({ options }) =>
      Object.keys(options).filter((name) => options[name]?.type === 'string'),
    )
    expect(named.filter((name) => /(?:token|secret|password)$/.test(name))).toEqual([])
  })
})
