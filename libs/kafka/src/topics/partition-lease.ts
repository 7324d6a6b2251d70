/**
 * A writer chooses partitions by a number that it has asked for within this time. After new
 * partitions were added, it uses them at the latest then.
 */
export const partitionsKnownForMs = 10_000

/**
 * Milliseconds after which no writer uses a smaller number of partitions: the time above, and some
 * for brokers that learn of the partitions later than others.
 */
export const writersKnowWithinMs = 15_000
