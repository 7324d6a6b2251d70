/** The table of the changes of users, which auth-service writes. */
export const usersTable = 'users'

/**
 * Tables of the platform, which no user may define: `users`, and all that begin with `_`, such as
 * `_webhooks`.
 */
export const isReservedTable = (table: string): boolean =>
  table === usersTable || table.startsWith('_')
