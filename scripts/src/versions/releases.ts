import { spawnSync } from 'node:child_process'
import { repoRoot } from '../lib/paths.ts'

/** The first version to upgrade from. Nothing has to be compatible with an earlier one. */
export const firstVersion = '0.3.0'

/** Returns the tags of the releases before this commit, from `firstVersion` on, the newest first. */
export function releases(): string[] {
  const { stdout } = spawnSync('git', ['tag', '--merged', 'HEAD^'], {
    cwd: repoRoot,
    encoding: 'utf8',
  })
  return releasesIn(stdout.split('\n'))
}

export function releasesIn(tags: readonly string[]): string[] {
  return tags
    .filter(
      (tag) => /^v\d+\.\d+\.\d+$/.test(tag) && compareVersions(tag.slice(1), firstVersion) >= 0,
    )
    .sort((a, b) => compareVersions(b.slice(1), a.slice(1)))
}

const compareVersions = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true })
