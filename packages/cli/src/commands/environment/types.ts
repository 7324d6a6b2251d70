import { readFile, writeFile } from 'node:fs/promises'
import {
  defineCommand,
  type ExitCode,
  exitCodes,
  type OptionSpecs,
  UsageError,
} from '../../cli/command.ts'
import {
  clientOf,
  findTenant,
  tenantDescription,
  tenantOptions,
} from '../../tenant/tenant-client.ts'
import { explaining } from '../../tenant/tenant-command.ts'
import { writeTypes } from '../../types/write-types.ts'

const options = {
  out: { type: 'string', value: 'file', help: 'the file to write. Default: standard output' },
  check: { type: 'boolean', help: 'write nothing, and compare the file of --out' },
  ...tenantOptions,
} as const satisfies OptionSpecs

export const typesCommand = defineCommand({
  name: 'types',
  summary: 'Write TypeScript types of the tables and their events',
  details: [
    'Each table gets types for its records, new records, changes and webhooks. The text depends only on',
    'the tables. With --check, the exit code is 0 if the file of --out is up to date, and 4 if not.',
  ].join('\n'),
  examples: ['types --out src/surehook-types.ts', 'types --out src/surehook-types.ts --check'],
  options,
  ...tenantDescription,
  printsDocument: true,
  async run(call) {
    const { out: file, check } = call.values
    if (check && file === undefined) throw new UsageError('--check needs --out')
    const tenant = findTenant(call.values, call.env)
    const tables = await explaining(tenant.baseUrl, () =>
      clientOf(tenant).tables.list({ signal: call.signal }),
    )
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
