import { type Call, type ExitCode, exitCodes, type OptionSpecs } from '../cli/command.ts'
import { cellOf, fittingTable, textFields } from './text-table.ts'

/** The output of a command: JSON for `--json`, and lines for a terminal. */
export type Output = {
  readonly lines: readonly (string | Table)[]
  /** Default: success. */
  readonly exitCode?: ExitCode
} & (
  | { readonly value: unknown }
  /** `--json` prints one line for each item. */
  | { readonly items: readonly unknown[] }
)

/** Aligned columns, which fit the terminal. The first row has the titles. */
export type Table = { readonly cells: readonly (readonly string[])[] }

/** Shows one object, field by field. */
export const showFields = (value: object, fields: object = value): Output => ({
  value,
  lines: textFields(fields),
})

/** Shows one line, for an operation without a result. `value` is what `--json` prints. */
export const showDone = (line: string, value: object = {}): Output => ({ value, lines: [line] })

/** Shows items as rows with aligned columns. */
export function showRows<Item>(
  what: string,
  items: readonly Item[],
  row: (item: Item) => Readonly<Record<string, string>>,
): Output {
  return { items, lines: [items.length === 0 ? `no ${what}` : tableOf(items.map(row))] }
}

/** Makes a table of rows, which may have different columns. */
export function tableOf(rows: readonly Readonly<Record<string, string>>[]): Table {
  const titles = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return { cells: [titles, ...rows.map((row) => titles.map((title) => cellOf(row[title])))] }
}

type Printer = Pick<Call<OptionSpecs>, 'json' | 'out' | 'columns'>

/** Prints the output, unless the command printed it already. Returns the exit code. */
export function conclude(result: Output | ExitCode, printer: Printer): ExitCode {
  if (typeof result === 'number') return result
  print(result, printer)
  return result.exitCode ?? exitCodes.ok
}

export function print(shown: Output, { json, out, columns }: Printer): void {
  if (!json) for (const line of linesOf(shown, columns)) out(line)
  else if ('items' in shown) for (const item of shown.items) out(JSON.stringify(item))
  else out(JSON.stringify(shown.value, null, 2))
}

const linesOf = ({ lines }: Output, columns: number | undefined): string[] =>
  lines.flatMap((line) => (typeof line === 'string' ? line : fittingTable(line.cells, columns)))
