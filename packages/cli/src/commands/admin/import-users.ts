import type { Violation } from '@surehook/client'
import { adminCommand } from '../../admin/admin-command.ts'
import { exitCodes, Failure } from '../../cli/command.ts'
import { readJsonFile } from '../../lib/input/json-file.ts'

/** Limit of one request. */
const batchSize = 1_000

type RefusedUser = { index: number; violations: readonly Violation[] }

export const importUsersCommand = adminCommand({
  name: 'admin users import',
  summary: 'Import users with their password hashes',
  details: [
    'The file holds a JSON array of { email, passwordHash, firstName?, lastName?, roles?, attributes?, emailVerified? }.',
    'Hashes are argon2id or bcrypt. The command lists each refused user by its index, imports the others and ends with 1.',
    'It refuses existing users, so that you may repeat it.',
  ].join('\n'),
  positionals: ['project', 'environment'],
  options: { file: { type: 'string', value: 'file', required: true, help: 'the users' } },
  async act({ values, admin, request, note }) {
    const users = usersIn(values.file)
    let imported = 0
    const failed: RefusedUser[] = []
    for (let from = 0; from < users.length; from += batchSize) {
      const body = { users: users.slice(from, from + batchSize) }
      const answer = await admin.users.import(body, request)
      imported += answer.imported
      failed.push(...answer.failed.map((one) => ({ ...one, index: from + one.index })))
      if (users.length > batchSize)
        note(`${Math.min(from + batchSize, users.length)} of ${users.length}`)
    }
    const lines = [`${imported} imported, ${failed.length} refused`, ...failed.flatMap(linesOf)]
    const exitCode = failed.length > 0 ? exitCodes.wrong : exitCodes.ok
    return { value: { imported, failed }, lines, exitCode }
  },
})

function linesOf({ index, violations }: RefusedUser): string[] {
  return violations.map(({ field, message }) => `  ${index}: ${field}: ${message}`)
}

function usersIn(file: string): unknown[] {
  const read = readJsonFile(file)
  if (Array.isArray(read) && read.length > 0) return read
  throw new Failure(`${file}: must hold a JSON array of users`)
}
