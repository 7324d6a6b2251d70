/**
 * A writer chooses partitions by a number that is at most this old, in milliseconds. So it uses
 * added partitions after this time at the latest.
 */
export const partitionsKnownForMs = 10_000

/**
 * Milliseconds after which no writer uses a smaller number of partitions: the time above, and 5
 * seconds for brokers that learn of the partitions later than others.
 */
export const writersKnowWithinMs = 15_000
