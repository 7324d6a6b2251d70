import type { Operation } from '@surehook/contracts/operation'
import {
  type Call,
  type Command,
  defineCommand,
  exitCodes,
  type OptionSpecs,
  type Values,
} from '../cli/command.ts'
import { findPlatform, platformOptions, platformVariables } from '../lib/platform-client.ts'
import { textFields, textTable } from '../output/text-table.ts'
import { callOperation, type ReplyOf, type RequestOf } from './call-operation.ts'

export type Ask = <Op extends Operation>(
  operation: Op,
  request: RequestOf<Op>,
) => Promise<ReplyOf<Op>>

/** Output of a command: the value for `--json`, and the lines for a terminal. */
export type Shown = { value: unknown; lines: readonly string[]; isWrong?: boolean }

type AdminCommand<Specs extends OptionSpecs> = Pick<
  Command<Specs>,
  'name' | 'summary' | 'details' | 'options' | 'positionals'
> & {
  act(
    call: Omit<Call<Specs>, 'values' | 'words'> & { values: Values<Specs>; words: Words },
    ask: Ask,
  ): Promise<Shown>
}

/** Values of a command's positionals. `readCall` has checked that all of them are given. */
type Words = { project: string; environment: string; id: string; name: string; session: string }

/** Defines a command that calls the administration API through the gateway. */
export function adminCommand<const Specs extends OptionSpecs>(
  command: AdminCommand<Specs>,
): Command<Specs & typeof platformOptions> {
  const { act, ...described } = command
  return defineCommand<Specs & typeof platformOptions>({
    ...described,
    options: { ...command.options, ...platformOptions },
    variables: platformVariables,
    async run(call) {
      const values = call.values as Values<Specs> & Values<typeof platformOptions>
      const platform = findPlatform(values, call.env)
      const words = call.words as Words
      const ask: Ask = (operation, request) => callOperation(platform, operation, request)
      const { value, lines, isWrong = false } = await act({ ...call, values, words }, ask)
      if (call.json) call.out(JSON.stringify(value, null, 2))
      else for (const line of lines) call.out(line)
      return isWrong ? exitCodes.wrong : exitCodes.ok
    },
  })
}

/** Shows one object, field by field. */
export const showThing = (thing: object): Shown => ({ value: thing, lines: textFields(thing) })

/** Shows one line for an operation without a result. */
export const showDone = (line: string): Shown => ({ value: {}, lines: [line] })

export function showList<Item extends object>(
  { name, items, hasMore }: { name: string; items: readonly Item[]; hasMore: boolean },
  row: (item: Item) => Record<string, string>,
): Shown {
  const rows = items.map(row)
  const [first] = rows
  const table = first
    ? textTable([Object.keys(first), ...rows.map((cells) => Object.values(cells))])
    : []
  return {
    value: { [name]: items, hasMore },
    lines: [
      ...(table.length > 0 ? table : [`no ${name}`]),
      ...(hasMore ? ['… and more: --limit'] : []),
    ],
  }
}
