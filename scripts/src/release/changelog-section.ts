/** The needed parts of a release plan, as `changeset status --output` writes it. */
export type ReleasePlan = {
  changesets: readonly { summary: string; releases: readonly { type: ReleaseType }[] }[]
  releases: readonly { name: string; newVersion: string }[]
}

type ReleaseType = 'major' | 'minor' | 'patch' | 'none'

/** Headings of https://keepachangelog.com/en/1.1.0, in order. */
const headings = [
  { heading: 'Changed', type: 'major' },
  { heading: 'Added', type: 'minor' },
  { heading: 'Fixed', type: 'patch' },
] as const satisfies { heading: string; type: ReleaseType }[]

const bySize: readonly ReleaseType[] = ['major', 'minor', 'patch', 'none']

/**
 * Adds a section for the release to CHANGELOG.md, below its introduction.
 * @param date as YYYY-MM-DD
 */
export function withSection(
  changelog: string,
  { changesets }: ReleasePlan,
  { version, date }: { version: string; date: string },
): string {
  const parts = headings.flatMap(({ heading, type }) => {
    const entries = changesets.filter(({ releases }) => sizeOf(releases) === type)
    if (entries.length === 0) return []
    return [`### ${heading}`, entries.map(({ summary }) => entryOf(summary)).join('\n')]
  })
  const section = [`## [${version}] - ${date}`, ...parts].join('\n\n')
  const first = changelog.indexOf('\n## ')
  const [head, rest] =
    first === -1
      ? [changelog.trimEnd(), '']
      : [changelog.slice(0, first).trimEnd(), changelog.slice(first)]
  return `${head}\n\n${section}\n${rest}`
}

function sizeOf(releases: readonly { type: ReleaseType }[]): ReleaseType {
  const size = Math.min(...releases.map(({ type }) => bySize.indexOf(type)))
  return bySize[size] ?? 'none'
}

function entryOf(summary: string): string {
  return `- ${summary.trim().replaceAll('\n', '\n  ')}`
}
