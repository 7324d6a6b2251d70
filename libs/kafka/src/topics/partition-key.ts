export type Place = { topic: string; partition: number }

/** For maps and sets by partition. */
export const partitionKey = ({ topic, partition }: Place): string => `${topic}/${partition}`
