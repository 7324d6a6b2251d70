/**
 * Tables of the platform, which no user may define: `users` of the auth service, and all that begin
 * with `_`, such as `_webhooks`.
 */
export const isReservedTable = (table: string): boolean =>
  table === 'users' || table.startsWith('_')
