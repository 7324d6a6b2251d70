import { expect, it } from '@jest/globals'
import { withSection } from './changelog-section.ts'

const release = { version: '0.2.0', date: '2026-12-01' }
const changeset = (summary: string, ...types: ('major' | 'minor' | 'patch')[]) => ({
  summary,
  releases: types.map((type) => ({ type })),
})
const plan = (...changesets: ReturnType<typeof changeset>[]) => ({ changesets, releases: [] })

it('puts the newest release first, sorted by what its changes mean for users', () => {
  const changes = plan(
    changeset('A circuit closes.', 'patch'),
    changeset('Policies.\nPer subscription.', 'patch', 'minor'),
    changeset('Topics have new names.', 'major'),
  )
  const before = '# Changelog\n\nAll changes.\n\n## [0.1.0] - 2026-11-01\n\n- The first.\n'
  expect(withSection(before, changes, release)).toBe(`# Changelog

All changes.

## [0.2.0] - 2026-12-01

### Changed

- Topics have new names.

### Added

- Policies.
  Per subscription.

### Fixed

- A circuit closes.

## [0.1.0] - 2026-11-01

- The first.
`)
})

it('writes the first section of all', () => {
  expect(withSection('# Changelog\n', plan(changeset('All.', 'minor')), release)).toBe(
    '# Changelog\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- All.\n',
  )
})
