import type { RequestOptions, Surehook } from '@surehook/client'
import {
  type Call,
  type Command,
  defineCommand,
  exitCodes,
  type OptionSpecs,
} from '../cli/command.ts'
import { print, type Shown } from '../output/shown.ts'
import { explained } from './explain-error.ts'
import {
  clientOf,
  findTenant,
  type Tenant,
  type TenantValues,
  tenantOptions,
  tenantVariables,
} from './tenant-client.ts'

export type TenantCall<Specs extends OptionSpecs, Name extends string = string> = Omit<
  Call<Specs>,
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
  'name' | 'summary' | 'details' | 'examples' | 'options'
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
    variables: tenantVariables,
    async run(call) {
      const tenant = findTenant(call.values as TenantValues, call.env)
      const shown = await explaining(tenant.baseUrl, () =>
        act({
          ...(call as unknown as Omit<Call<Specs>, 'words'>),
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

/** Rejects with a `Failure` that explains an error of the client. */
export async function explaining<T>(baseUrl: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (err) {
    throw explained(err, baseUrl)
  }
}
