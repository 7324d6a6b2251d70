import { type ExitCode, exitCodes } from '../cli/command.ts'
import { textFields, textTable } from './text-table.ts'

/** The output of a command: JSON for `--json`, and lines for a terminal. */
export type Output = {
  readonly lines: readonly string[]
  /** Default: success. */
  readonly exitCode?: ExitCode
} & (
  | { readonly value: unknown }
  /** `--json` prints one line for each item. */
  | { readonly items: readonly unknown[] }
)

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
  return { items, lines: items.length === 0 ? [`no ${what}`] : tableOf(items.map(row)) }
}

/** Aligns rows, which may have different columns. */
export function tableOf(rows: readonly Readonly<Record<string, string>>[]): string[] {
  const titles = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return textTable([titles, ...rows.map((row) => titles.map((title) => row[title] ?? '-'))])
}

type Printer = { readonly json: boolean; out(line: string): void }

/** Prints the output, unless the command printed it already. Returns the exit code. */
export function conclude(result: Output | ExitCode, printer: Printer): ExitCode {
  if (typeof result === 'number') return result
  print(result, printer)
  return result.exitCode ?? exitCodes.ok
}

export function print(shown: Output, { json, out }: Printer): void {
  if (!json) for (const line of shown.lines) out(line)
  else if ('items' in shown) for (const item of shown.items) out(JSON.stringify(item))
  else out(JSON.stringify(shown.value, null, 2))
}
