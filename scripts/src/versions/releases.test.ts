import { expect, it } from '@jest/globals'
import { releasesIn } from './releases.ts'

it('begins with 0.3.0, and has no other tags', () => {
  expect(releasesIn(['v0.1.0', 'v0.2.9', 'v0.3.0-rc.1', 'before-v0.3.0', '0.3.0', ''])).toEqual([])
  expect(releasesIn(['v0.2.0', 'v0.3.0'])).toEqual(['v0.3.0'])
})

it('sorts by version, the newest first', () => {
  const tags = ['v0.3.0', 'v0.3.9', 'v0.10.0', 'v1.0.0', 'v0.3.10']
  expect(releasesIn(tags)).toEqual(['v1.0.0', 'v0.10.0', 'v0.3.10', 'v0.3.9', 'v0.3.0'])
})
