import type { AnyCommand } from '../cli/command.ts'
import { completionCommand } from '../cli/completion.ts'
import { deleteCommands } from './admin/delete.ts'
import { environmentCommands } from './admin/environments.ts'
import { exportCommand } from './admin/export.ts'
import { importUsersCommand } from './admin/import-users.ts'
import { partitionsCommand } from './admin/partitions.ts'
import { projectCommands } from './admin/projects.ts'
import { roleCommands } from './admin/roles.ts'
import { tokenCommands } from './admin/tokens.ts'
import { userAccessCommands } from './admin/user-access.ts'
import { userCommands } from './admin/users.ts'
import { demoCommand } from './demo.ts'
import { developerCommands } from './developer/developer-commands.ts'
import { doctorCommand } from './doctor.ts'
import { applyCommand } from './environment/apply.ts'
import { exportFileCommand } from './environment/export.ts'
import { typesCommand } from './environment/types.ts'
import { ledgerCommand } from './ledger.ts'
import { listenCommand } from './listen.ts'
import { prepareDatabaseCommand } from './prepare-database.ts'
import { prepareKafkaAccessCommand } from './prepare-kafka-access.ts'
import { prepareSecretsCommand } from './prepare-secrets.ts'
import { prepareTopicsCommand } from './prepare-topics.ts'
import { rebuildHistoryCommand } from './rebuild.ts'
import { reconcileCommand } from './reconcile.ts'
import { rotateKeyCommand } from './rotate-key.ts'
import { tryCommand } from './try.ts'

/** Every command, in the order of the help. */
export const commands: readonly AnyCommand[] = [
  prepareDatabaseCommand,
  prepareTopicsCommand,
  prepareKafkaAccessCommand,
  prepareSecretsCommand,
  reconcileCommand,
  rebuildHistoryCommand,
  rotateKeyCommand,
  doctorCommand,
  ledgerCommand,
  demoCommand,
  tryCommand,
  listenCommand,
  ...developerCommands,
  applyCommand,
  exportFileCommand,
  typesCommand,
  ...projectCommands,
  ...environmentCommands,
  ...tokenCommands,
  ...roleCommands,
  ...userCommands,
  ...userAccessCommands,
  importUsersCommand,
  exportCommand,
  partitionsCommand,
  ...deleteCommands,
  completionCommand,
]
