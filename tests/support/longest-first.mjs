import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import TestSequencer from '@jest/test-sequencer'

const root = new URL('../..', import.meta.url).pathname
/** How long the slow test files took on two cores, in seconds. */
const seconds = JSON.parse(readFileSync(new URL('slow-files.json', import.meta.url), 'utf8'))

/**
 * Runs the slow files first, so that none of them runs alone at the end. Jest itself goes by the
 * size of a file on a machine without earlier results.
 */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const secondsOf = ({ path }) => seconds[relative(root, path)] ?? 0
    return super.sort(tests).toSorted((a, b) => secondsOf(b) - secondsOf(a))
  }
}
