/**
 * A WAL message that no relay reads. It makes a transaction without a row cost as much as one with
 * a row.
 */
export const writeDecoy = `pg_logical_emit_message(true, 'surehook-decoy', repeat('-', 400))`
