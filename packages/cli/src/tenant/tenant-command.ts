import type { RequestOptions, Surehook } from '@surehook/client'
import {
  type Call,
  type Command,
  defineCommand,
  type ExitCode,
  type OptionSpecs,
  UsageError,
} from '../cli/command.ts'
import { explaining } from '../output/explain-error.ts'
import { conclude, type Output } from '../output/shown.ts'
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
  'name' | 'summary' | 'details' | 'examples' | 'options' | 'variables' | 'more' | 'printsDocument'
> & {
  readonly positionals?: readonly Name[]
  /** Resolves with the output, or with the exit code of a command that prints by itself. */
  act(call: TenantCall<Specs, Name>): Promise<Output | ExitCode>
}

/** Defines a command that acts in one project and environment. */
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
      const words = call.words as Record<Name, string>
      const request = { signal: call.signal }
      const result = await explaining(tenant.baseUrl, () =>
        act({ ...call, words, tenant, surehook: clientOf(tenant), request }),
      )
      return conclude(result, call)
    },
  })
}

/** An empty word, as of a variable that is not set, would name another operation. */
function assertId(name: string, word: string): void {
  const isFile = name === 'file'
  if (!isFile && /^\.{0,2}$/.test(word))
    throw new UsageError(`<${name}>: "${word}" is not a name or an id`)
}
