/** The gauge of every kind of consumer. */
export const consumerLag = {
  name: 'surehook_kafka_consumer_lag_messages',
  help: 'Messages between the last one handled and the end of its partition',
  labelNames: ['group', 'topic', 'partition'] as const,
}
