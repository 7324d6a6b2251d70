import { readFile, writeFile } from 'node:fs/promises'
import type { Table } from '@surehook/client'
import { exitCodes, UsageError } from '../../cli/command.ts'
import { tenantCommand } from '../../tenant/tenant-command.ts'
import { allFields, fieldsOf, type TableFields } from '../../types/table-fields.ts'
import { writeTypes } from '../../types/write-types.ts'

export const typesCommand = tenantCommand({
  name: 'types',
  summary: 'Write TypeScript types of the tables and their events',
  details: [
    'Each table gets types for its records, new records, changes and webhooks. The text depends only on',
    'the tables. With --check, the exit code is 0 if the file of --out is up to date, and 4 if not.',
    'With --role, the types have what users with this role may read and send, and no webhooks.',
  ].join('\n'),
  examples: [
    'types --out src/surehook-types.ts',
    'types --out src/surehook-types.ts --check',
    'types --role customer --out src/surehook-types.ts',
  ],
  options: {
    role: { type: 'string', value: 'role', help: 'only what users with this role may do' },
    out: { type: 'string', value: 'file', help: 'the file to write. Default: standard output' },
    check: { type: 'boolean', help: 'write nothing, and compare the file of --out' },
  },
  printsDocument: true,
  async act(call) {
    const { out: file, check, role } = call.values
    if (check && file === undefined) throw new UsageError('--check needs --out')
    const tables = seenBy(role, await call.surehook.tables.list(call.request))
    const text = writeTypes(tables, { events: role === undefined })
    const facts = { file: file ?? null, tables: tables.map(({ name }) => name) }
    if (file === undefined) {
      call.out(call.json ? JSON.stringify({ ...facts, text }, null, 2) : text.trimEnd())
      return exitCodes.ok
    }
    const upToDate = (await contentOf(file)) === text
    if (!check && !upToDate) await writeFile(file, text)
    if (call.json) call.out(JSON.stringify({ ...facts, upToDate: upToDate || !check }, null, 2))
    if (!check || upToDate) return exitCodes.ok
    call.note(`${file} is out of date: "surehook types${optionOf(role)} --out ${file}" writes it`)
    return exitCodes.differs
  },
})

const optionOf = (role: string | undefined) => (role === undefined ? '' : ` --role ${role}`)

/** Without a role, all of the tables. */
const seenBy = (role: string | undefined, tables: readonly Table[]): TableFields[] =>
  role === undefined
    ? tables.map(allFields)
    : tables.flatMap((table) => fieldsOf(role, table) ?? [])

async function contentOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw err
  }
}
