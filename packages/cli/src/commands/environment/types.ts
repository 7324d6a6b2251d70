import { readFile, writeFile } from 'node:fs/promises'
import { type ExitCode, exitCodes, UsageError } from '../../cli/command.ts'
import { tenantCommand } from '../../tenant/tenant-command.ts'
import { writeTypes } from '../../types/write-types.ts'

export const typesCommand = tenantCommand({
  name: 'types',
  summary: 'Write TypeScript types of the tables and their events',
  details: [
    'Each table gets types for its records, new records, changes and webhooks. The text depends only on',
    'the tables. With --check, the exit code is 0 if the file of --out is up to date, and 4 if not.',
  ].join('\n'),
  examples: ['types --out src/surehook-types.ts', 'types --out src/surehook-types.ts --check'],
  options: {
    out: { type: 'string', value: 'file', help: 'the file to write. Default: standard output' },
    check: { type: 'boolean', help: 'write nothing, and compare the file of --out' },
  },
  printsDocument: true,
  async act(call) {
    const { out: file, check } = call.values
    if (check && file === undefined) throw new UsageError('--check needs --out')
    const tables = await call.surehook.tables.list(call.request)
    const text = writeTypes(tables)
    const facts = { file: file ?? null, tables: tables.map(({ name }) => name) }
    if (file === undefined) {
      call.out(call.json ? JSON.stringify({ ...facts, text }, null, 2) : text.trimEnd())
      return exitCodes.ok
    }
    const upToDate = (await contentOf(file)) === text
    if (!check && !upToDate) await writeFile(file, text)
    if (call.json) call.out(JSON.stringify({ ...facts, upToDate: upToDate || !check }, null, 2))
    return check ? compared(call, file, upToDate) : exitCodes.ok
  },
})

function compared(
  { note }: { note: (line: string) => void },
  file: string,
  upToDate: boolean,
): ExitCode {
  if (upToDate) return exitCodes.ok
  note(`${file} is out of date: "surehook types --out ${file}" writes it`)
  return exitCodes.differs
}

async function contentOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw err
  }
}
