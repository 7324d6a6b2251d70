/**
 * Finds statements that break the previous version while a migration runs or after it, because both
 * versions run on one database during an upgrade. A migration that needs such a statement gives the
 * reason in a separate line. It is `-- Contract: …` with the version since which nothing uses the
 * object, or `-- Locks: …` with the longest time.
 */
export function migrationFaults(sql: string): string[] {
  const [up = ''] = sql.split(/^-- Down Migration/im)
  const marks = new Set(Array.from(up.matchAll(markLine), ([, mark = '']) => mark.toLowerCase()))
  const statements = statementsOf(up)
  const made = new Set(statements.flatMap((text) => madeTable.exec(text)?.[1] ?? []))
  return statements.flatMap((statement) =>
    rules
      .filter(({ mark, breaks }) => !marks.has(mark) && breaks(statement, made))
      .map(
        ({ mark, why }) => `${excerpt(statement)}: ${why} ("-- ${capital(mark)}: …" if it must be)`,
      ),
  )
}

type Mark = 'contract' | 'locks'
type Rule = { mark: Mark; why: string; breaks: (statement: string, made: Set<string>) => boolean }

const markLine = /^--\s*(contract|locks):\s*\S.{9,}$/gim
const madeTable = /^create (?:unlogged )?table (?:if not exists )?([\w".]+)/
const altered = /^alter table (?:only |if exists )*([\w".]+)/
const added =
  /\badd (?:column )?(?:if not exists )?\w+ [^,]*\bnot null\b(?![^,]*\b(?:default|generated)\b)[^,]*/
const defaultBefore = /\b(?:default|generated)\b[^,]*\bnot null\b/
const indexOn = /^create (?:unique )?index .*? on (?:only )?([\w".]+)/

const altersOlder = (statement: string, made: Set<string>) => {
  const table = altered.exec(statement)?.[1]
  return table !== undefined && !made.has(table)
}

const rules: readonly Rule[] = [
  rule('contract', 'takes away what an older version uses', /\b(?:drop (?!not null)|rename )/),
  rule('contract', 'removes rows', /^(?:truncate|delete from)\b/),
  rule('contract', 'takes a right away', /^revoke\b/),
  older('contract', 'an older version writes the type that it had', /\b(?:set data )?type\b/),
  older('contract', 'an older version writes rows that it refuses', /\bset not null\b/),
  older(
    'contract',
    'an older version writes rows that it refuses',
    /\badd (?:constraint|primary key|unique|check|foreign key|exclude)\b/,
  ),
  {
    mark: 'contract',
    why: 'an older version writes rows without it',
    breaks: (statement, made) => {
      const clause = altersOlder(statement, made) ? added.exec(statement)?.[0] : undefined
      return clause !== undefined && !defaultBefore.test(clause)
    },
  },
  {
    mark: 'locks',
    why: 'nobody can write while the index is made',
    breaks: (statement, made) => {
      const table = indexOn.exec(statement)?.[1]
      return table !== undefined && !made.has(table)
    },
  },
  rule('locks', 'changes rows in the transaction of the migration', /^(?:with .*)?update\b/),
]

function rule(mark: Mark, why: string, pattern: RegExp): Rule {
  return { mark, why, breaks: (statement) => pattern.test(statement) }
}

/** A rule that applies only to tables that the migration did not create itself. */
function older(mark: Mark, why: string, pattern: RegExp): Rule {
  return {
    mark,
    why,
    breaks: (statement, made) => altersOlder(statement, made) && pattern.test(statement),
  }
}

/**
 * Returns each statement as one line in lower case, without comments, strings and function bodies.
 */
function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/\$(\w*)\$.*?\$\1\$/gs, "''")
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim().toLowerCase())
    .filter((statement) => statement !== '')
}

const excerpt = (statement: string) =>
  statement.length > 60 ? `${statement.slice(0, 60)}…` : statement
const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
