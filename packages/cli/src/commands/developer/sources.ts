import type { Source } from '@surehook/client'
import { byteSize } from '@surehook/contracts/byte-size'
import { countOf, given } from '../../lib/input/option-values.ts'
import { textOf } from '../../lib/input/read-input.ts'
import { readSecret } from '../../lib/input/read-secret.ts'
import { type Output, showRows, tableOf } from '../../output/shown.ts'
import { cellOf, textFields } from '../../output/text-table.ts'
import { timeCell } from '../../output/times.ts'
import { visible, visibleLines } from '../../output/visible.ts'
import { tenantCommand } from '../../tenant/tenant-command.ts'

export const sourceCommands = [
  tenantCommand({
    name: 'sources list',
    summary: 'List the PostgreSQL databases whose changes become events',
    options: {},
    async act({ surehook, request, now }) {
      return showRows('sources', await surehook.sources.list(request), (source) => ({
        source: source.name,
        state: source.state,
        tables: String(source.tables.length),
        'kept WAL': sizeCell(source.retainedBytes),
        'last change': timeCell(source.lastChangeAt, now()),
        gap: timeCell(source.gap?.at ?? null, now()),
        url: source.url,
      }))
    },
  }),
  tenantCommand({
    name: 'sources show',
    summary: 'Show a source, what it lacks, and the SQL to run for it',
    options: {},
    positionals: ['source'],
    async act({ surehook, request, words, now }) {
      return shownSource(await surehook.sources.get(words.source, request), now())
    },
  }),
  tenantCommand({
    name: 'sources add',
    summary: 'Add a source, or change it',
    details:
      'The command asks for the URL, or reads it from the standard input: it holds a password.',
    examples: ['sources add shop', 'sources add shop --url-file shop.url --publication surehook'],
    options: {
      'url-file': {
        type: 'string',
        value: 'file',
        help: 'a file with postgresql://user:password@host:port/database',
      },
      'ca-file': {
        type: 'string',
        value: 'file',
        help: 'a file with certificates in PEM to trust instead of the well-known authorities',
      },
      publication: {
        type: 'string',
        value: 'name',
        help: 'the publication to read. Default: surehook',
      },
      'wal-budget': {
        type: 'string',
        value: 'MiB',
        help: 'WAL that the database may keep for it. Default: 1024',
      },
    },
    positionals: ['source'],
    async act(call) {
      const { surehook, request, words, values, now } = call
      const { 'url-file': file, 'ca-file': ca, publication, 'wal-budget': budget } = values
      const input = {
        url: await readSecret({ option: 'url-file', file, what: 'URL' }, call),
        ...given({
          ca: ca === undefined ? ca : textOf(ca),
          publication,
          walBudget: budget === undefined ? budget : countOf('wal-budget', budget) * mebibyte,
        }),
      }
      return shownSource(await surehook.sources.put(words.source, input, request), now())
    },
  }),
  tenantCommand({
    name: 'sources remove',
    summary: 'Delete a source, and drop its replication slot',
    details: 'Its tables stay, and get no more changes.',
    options: {},
    positionals: ['source'],
    async act({ surehook, request, words: { source } }) {
      const deleted = await surehook.sources.delete(source, request)
      return { value: deleted, lines: [`source ${source} is deleted`, ...sqlLines(deleted.sql)] }
    },
  }),
]

function shownSource(source: Source, now: number): Output {
  const { findings, tables, gap, walBudget, retainedBytes, budgetEndsInS, ...fields } = source
  const lines = [
    ...textFields({
      ...fields,
      walBudget: sizeCell(walBudget),
      retained: sizeCell(retainedBytes),
      ...(budgetEndsInS !== null && { budgetEndsIn: `${budgetEndsInS} s` }),
      lastChangeAt: timeCell(source.lastChangeAt, now),
      createdAt: timeCell(source.createdAt, now),
      updatedAt: timeCell(source.updatedAt, now),
      ...(gap !== null && { gap: `${gap.reason}, ${timeCell(gap.at, now)}` }),
    }),
    ...(tables.length === 0 ? [] : ['', tableOf(tables)]),
    ...findings.map(({ level, says, advice }) =>
      visible([`${level}: ${says}`, ...(advice === null ? [] : [advice])].join('. ')),
    ),
    ...sqlLines(findings.flatMap(({ sql }) => sql)),
  ]
  return { value: source, lines }
}

/** Statements alone on their lines, so that they can be copied. */
const sqlLines = (sql: readonly string[]): string[] =>
  sql.length === 0 ? [] : ['', 'Run in the database, as its owner:', '', ...sql.map(visibleLines)]

const mebibyte = 2 ** 20

const sizeCell = (bytes: number | null): string => cellOf(bytes === null ? null : byteSize(bytes))
