import { encryptionKeyEnv, postgresEnv, readEnv } from '@surehook/service-kit/config/config'
import { databaseConnection } from '@surehook/service-kit/config/connections'
import { slotOf } from '@surehook/service-kit/postgres/capture-slot'
import { roleOf, schemaOf } from '@surehook/service-kit/postgres/service-role'
import * as z from 'zod'
import { defineCommand, exitCodes } from '../cli/command.ts'
import { quietLog } from '../lib/quiet-log.ts'
import { databaseServices, serviceTraits } from '../lib/service-catalog.ts'
import { waitFor, waitOption } from '../lib/wait-for.ts'
import { passwordVariable, prepareDatabase } from '../prepare/prepare-database.ts'

const Variables = z.object({
  ...postgresEnv,
  HISTORY_DATABASE_URL: postgresEnv.DATABASE_URL.optional(),
  KEY_ENCRYPTION_KEY: encryptionKeyEnv.KEY_ENCRYPTION_KEY.optional(),
})

export const prepareDatabaseCommand = defineCommand({
  name: 'prepare database',
  summary: "Create the services' roles, schemas and slots, and migrate their tables",
  details: 'The command waits for PostgreSQL. You may repeat it, or run it several times at once.',
  options: waitOption,
  variables: {
    DATABASE_URL: 'an administrator, who may create roles, schemas and the history database',
    HISTORY_DATABASE_URL: 'an administrator of another database for the history, which exists',
    DATABASE_CA_FILE: "PEM of the CA: then the server's certificate is verified",
    [databaseServices.map(passwordVariable).join(', ')]: "passwords of the services' roles",
    KEY_ENCRYPTION_KEY: 'missing passwords are derived from it',
  },
  async run({ values, env, json, out, note, signal }) {
    const read = readEnv(Variables, env)
    const databaseUrl = databaseConnection(read)
    const { HISTORY_DATABASE_URL: history } = read
    const historyDatabaseUrl =
      history && databaseConnection({ ...read, DATABASE_URL: history }, 'HISTORY_DATABASE_URL')
    const rolePasswords = Object.fromEntries(
      databaseServices.flatMap((service) => {
        const password = env[passwordVariable(service)]
        return password ? [[service, password]] : []
      }),
    )
    const prepare = () =>
      prepareDatabase({
        databaseUrl,
        historyDatabaseUrl,
        rolePasswords,
        keyEncryptionKey: env['KEY_ENCRYPTION_KEY'],
        log: quietLog({ env, note }),
      })
    await waitFor({ what: 'PostgreSQL', wait: values.wait }, prepare, { note, signal })
    const prepared = databaseServices.map((service) => ({
      service,
      role: roleOf(service),
      schema: schemaOf(service),
      slot: serviceTraits[service].database?.captures ? slotOf(service) : null,
    }))
    if (json) out(JSON.stringify({ services: prepared }, null, 2))
    else {
      for (const { service, role, schema, slot } of prepared) {
        const parts = [
          `role ${role}`,
          `schema ${schema}`,
          ...(slot === null ? [] : [`slot ${slot}`]),
        ]
        out(`${service}: ${parts.join(', ')}, migrated`)
      }
    }
    return exitCodes.ok
  },
})
