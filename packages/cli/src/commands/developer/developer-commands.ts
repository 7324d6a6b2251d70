import type { AnyCommand } from '../../cli/command.ts'
import { deliveryCommands } from './deliveries.ts'
import { endpointCommands } from './endpoints.ts'
import { eventCommands } from './events.ts'
import { limitsCommand } from './limits.ts'
import { projectsCommand } from './projects.ts'
import { recordCommands } from './records.ts'
import { replayCommands } from './replay.ts'
import { consoleCommand } from './session/console.ts'
import { loginCommand } from './session/login.ts'
import { profileCommands } from './session/profiles.ts'
import { sourceCommands } from './sources.ts'
import { tableCommands } from './tables.ts'
import { tailCommand } from './tail.ts'
import { webhookReadCommands } from './webhooks/read-commands.ts'
import { webhookWriteCommands } from './webhooks/write-commands.ts'

/** The commands for developers of one environment, in the order of the help. */
export const developerCommands: readonly AnyCommand[] = [
  loginCommand,
  ...profileCommands,
  consoleCommand,
  projectsCommand,
  ...tableCommands,
  ...sourceCommands,
  ...recordCommands,
  ...webhookWriteCommands,
  ...webhookReadCommands,
  ...deliveryCommands,
  ...endpointCommands,
  ...eventCommands,
  ...replayCommands,
  tailCommand,
  limitsCommand,
]
