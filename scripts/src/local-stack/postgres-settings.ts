/** PostgreSQL's settings, as a process and in a container. */
export const postgresSettings = {
  wal_level: 'logical',
  max_replication_slots: 20,
  max_wal_senders: 20,
  max_connections: 200,
  shared_buffers: '64MB',
  // Rare checkpoints: after each one, every changed page goes into the WAL as a whole.
  checkpoint_timeout: '15min',
  max_wal_size: '4GB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

export const asPostgresFlags = (settings: Readonly<Record<string, string | number>>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
