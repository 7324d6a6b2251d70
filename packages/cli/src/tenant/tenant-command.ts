import type { RequestOptions, Surehook } from '@surehook/client'
import {
  type Call,
  type Command,
  defineCommand,
  exitCodes,
  type OptionSpecs,
  UsageError,
} from '../cli/command.ts'
import { print, type Shown } from '../output/shown.ts'
import { explained } from './explain-error.ts'
import {
  clientOf,
  findTenant,
  type Tenant,
  tenantDescription,
  tenantOptions,
  tenantVariables,
} from './tenant-client.ts'

export type TenantCall<Specs extends OptionSpecs, Name extends string = string> = Omit<
  Call<Specs & typeof tenantOptions>,
  'words'
> & {
  /** `readCall` has checked that each of them is given. */
  readonly words: Readonly<Record<Name, string>>
  readonly tenant: Tenant
  readonly surehook: Surehook
  /** Ends a request when the user stops the command. */
  readonly request: RequestOptions
}

type TenantCommand<Specs extends OptionSpecs, Name extends string> = Pick<
  Command<Specs>,
  'name' | 'summary' | 'details' | 'examples' | 'options' | 'variables'
> & {
  readonly positionals?: readonly Name[]
  act(call: TenantCall<Specs, Name>): Promise<Shown>
}

/** Defines a command that acts as a developer of one environment. */
export function tenantCommand<const Specs extends OptionSpecs, const Name extends string = never>(
  command: TenantCommand<Specs, Name>,
): Command<Specs & typeof tenantOptions> {
  const { act, ...described } = command
  return defineCommand<Specs & typeof tenantOptions>({
    ...described,
    options: { ...command.options, ...tenantOptions },
    ...tenantDescription,
    variables: { ...command.variables, ...tenantVariables },
    async run(call) {
      for (const [name, word] of Object.entries(call.words)) assertId(name, word)
      const tenant = findTenant(call.values, call.env)
      const shown = await explaining(tenant.baseUrl, () =>
        act({
          ...call,
          words: call.words as Record<Name, string>,
          tenant,
          surehook: clientOf(tenant),
          request: { signal: call.signal },
        }),
      )
      print(shown, call)
      return exitCodes.ok
    },
  })
}

/** An empty word, as of a variable that is not set, would name another operation. */
function assertId(name: string, word: string): void {
  if (/^\.{0,2}$/.test(word)) throw new UsageError(`<${name}>: "${word}" is not a name or an id`)
}

/** Rejects with a `Failure` that explains an error of the client. */
export async function explaining<T>(baseUrl: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (err) {
    throw explained(err, baseUrl)
  }
}
