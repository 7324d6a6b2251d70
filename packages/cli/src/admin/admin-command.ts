import type { Admin, RequestOptions } from '@surehook/client'
import {
  type Call,
  type Command,
  defineCommand,
  type ExitCode,
  type OptionSpecs,
  type Values,
} from '../cli/command.ts'
import { firstItems } from '../lib/first-items.ts'
import { countOf } from '../lib/input/option-values.ts'
import {
  adminClientOf,
  findPlatform,
  type Platform,
  platformOptions,
  platformVariables,
} from '../lib/platform-client.ts'
import { explainedToOperator } from '../output/explain-error.ts'
import { conclude, type Output, tableOf } from '../output/shown.ts'

export const limitOption = {
  limit: { type: 'string', value: 'count', default: '1000', help: 'how many at most' },
} as const satisfies OptionSpecs

/** Values of a command's positionals. `readCall` has checked that all of them are given. */
type Words = { project: string; environment: string; id: string; name: string; session: string }

type AdminCall<Specs extends OptionSpecs> = Omit<Call<Specs>, 'words'> & {
  readonly words: Words
  readonly platform: Platform
  /** The administration of the project and environment that the words name. */
  readonly admin: Admin
  /** Ends a request when the user stops the command. */
  readonly request: RequestOptions
}

type AdminCommand<Specs extends OptionSpecs> = Pick<
  Command<Specs>,
  'name' | 'summary' | 'details' | 'options' | 'positionals'
> & {
  act(call: AdminCall<Specs>): Promise<Output | ExitCode>
}

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
      const { admin } = adminClientOf(platform, words)
      const request = { signal: call.signal }
      try {
        return conclude(await act({ ...call, values, words, platform, admin, request }), call)
      } catch (err) {
        throw explainedToOperator(err, platform.baseUrl)
      }
    },
  })
}

/** Reads a list up to `--limit`, and shows it as rows. */
export async function showList<Item extends object>(
  name: string,
  {
    values: { limit },
    iterate,
  }: {
    values: { readonly limit: string }
    iterate: (page: { limit: number }) => AsyncIterable<Item>
  },
  row: (item: Item) => Readonly<Record<string, string>>,
): Promise<Output> {
  const { items, hasMore } = await firstItems(countOf('limit', limit), iterate)
  const rows = items.length === 0 ? `no ${name}` : tableOf(items.map(row))
  return {
    value: { [name]: items, hasMore },
    lines: [rows, ...(hasMore ? ['… and more: --limit'] : [])],
  }
}
