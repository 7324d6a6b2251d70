/** An offset for each partition of a topic. It means nothing after a re-creation of the topic. */
export type LogPosition = {
  /** Hexadecimal id that Kafka gave the topic at its creation. */
  topicId: string
  offsets: number[]
}
