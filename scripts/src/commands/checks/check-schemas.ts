import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import type avro from 'avsc'
import { schemaFaults } from '../../check/schema-faults.ts'
import { repoRoot } from '../../lib/paths.ts'
import { firstVersion, releases } from '../../versions/releases.ts'

/**
 * `npm run check:schemas [-- --from <commit>]` checks that the schemas of events and those of every
 * release, or of the commit, read each other's values.
 */
const dir = 'contracts/events'
const { values } = parseArgs({ options: { from: { type: 'string' } } })
const commits = values.from === undefined ? releases() : [values.from]

for (const commit of commits) {
  for (const file of git('ls-tree', '--name-only', commit, `${dir}/`).split('\n')) {
    if (!file.endsWith('.avsc')) continue
    for (const fault of schemaFaults(JSON.parse(git('show', `${commit}:${file}`)) as avro.Schema)) {
      process.stderr.write(`${file} against ${commit}: ${fault}\n`)
      process.exitCode = 1
    }
  }
}
if (commits.length === 0) {
  process.stdout.write(`no release from ${firstVersion} on: there is nothing to compare with\n`)
}

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: repoRoot, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.trim()}`)
  return stdout.trim()
}
