export type Place = { topic: string; partition: number }

/** Key of a partition in maps and sets. */
export const partitionKey = ({ topic, partition }: Place): string => `${topic}/${partition}`
