/** A record of the WAL that no relay reads: makes a transaction without a row cost as much as one with. */
export const writeDecoy = `pg_logical_emit_message(true, 'surehook-decoy', repeat('-', 400))`
