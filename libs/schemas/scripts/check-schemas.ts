import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import avro from 'avsc'
import { eventSchemas } from '../src/event-schemas.ts'

/**
 * `npm run check:schemas [-- --from <commit>]` checks that each event's schema reads the values of
 * released schemas, and they read its values. Default: the schemas of every tag, or of 40 commits
 * ago if there is no tag.
 */
const { values } = parseArgs({ options: { from: { type: 'string' } } })
const contracts = fileURLToPath(new URL('../../../contracts', import.meta.url))
const unreleased = 'HEAD~40'

const commits = values.from === undefined ? releases() : [values.from]
const known = commits.flatMap((commit) =>
  schemasOf(commit).map((schema) => ({ commit, ...schema })),
)
for (const { commit, file, text } of known) {
  for (const fault of faultsOf(JSON.parse(text) as avro.Schema)) {
    process.stderr.write(`${file} against ${commit}: ${fault}\n`)
    process.exitCode = 1
  }
}
if (known.length === 0)
  process.stdout.write('no earlier version is here: nothing to compare with\n')

function releases(): string[] {
  const tags = git('tag', '--merged', 'HEAD')?.split('\n').filter(Boolean) ?? []
  if (tags.length > 0) return tags
  return git('rev-parse', '--verify', '--quiet', unreleased) === null ? [] : [unreleased]
}

function schemasOf(commit: string): { file: string; text: string }[] {
  const files = git('ls-tree', '--name-only', commit, 'events/')?.split('\n') ?? []
  return files
    .filter((file) => file.endsWith('.avsc'))
    .flatMap((file) => {
      const text = git('show', `${commit}:./${file}`)
      return text === null ? [] : [{ file, text }]
    })
}

function faultsOf(before: avro.Schema): string[] {
  const older = avro.Type.forSchema(before, { omitRecordMethods: true })
  const now = Object.values(eventSchemas).find(({ type }) => type.name === older.name)?.type
  if (now === undefined) return [`${older.name} is gone: it may still be on its topic`]
  const reads = (reader: avro.Type, writer: avro.Type, what: string) => {
    try {
      reader.createResolver(writer)
      return []
    } catch (err) {
      return [`${what}: ${(err as Error).message}`]
    }
  }
  return [
    ...reads(now, older, 'this version cannot read what that one wrote'),
    ...reads(older, now, 'that version cannot read what this one writes'),
  ]
}

function git(...args: string[]): string | null {
  const { status, stdout } = spawnSync('git', args, { cwd: contracts, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}
