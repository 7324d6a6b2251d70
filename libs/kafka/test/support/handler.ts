import type { PartitionHandler } from '../../src/windowed/partition-handler.ts'

/** A handler whose work never delays a drain. */
export const handlerOf = (
  handle: PartitionHandler['handle'],
  more: Partial<PartitionHandler> = {},
): PartitionHandler => ({ handle, inFlight: 0, inFlightOf: () => 0, ...more })
