export type TopicPartition = { topic: string; partition: number }

/** Key of a partition in maps and sets. */
export const partitionKey = ({ topic, partition }: TopicPartition): string =>
  `${topic}/${partition}`
