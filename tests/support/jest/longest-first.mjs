import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import TestSequencer from '@jest/test-sequencer'

const root = new URL('../../..', import.meta.url).pathname
/** How long the slow test files took on two cores, in seconds. */
const seconds = JSON.parse(readFileSync(new URL('slow-files.json', import.meta.url), 'utf8'))

/** Files that share a system come last: it stops when another file starts one on its stack. */
const shares = ({ path }) => (readFileSync(path, 'utf8').includes('/shared-world.ts') ? 1 : 0)

/**
 * Runs the slow files first, so that none of them runs alone at the end. Jest itself goes by the
 * size of a file on a machine without earlier results.
 */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const secondsOf = ({ path }) => seconds[relative(root, path)] ?? 0
    return super
      .sort(tests)
      .toSorted((a, b) => shares(a) - shares(b) || secondsOf(b) - secondsOf(a))
  }
}
