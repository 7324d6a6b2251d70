import type { EventDetail, GetEventData } from '../generated/webhooks/types.gen.ts'
import type { Query, RequestOptions } from '../transport/operation.ts'
import type { Transport } from '../transport/transport.ts'

/** Changes, and what became of them. */
export class Events {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Resolves with the change, and its outcome for each subscription. */
  explain(
    eventId: string,
    query: Query<GetEventData> = {},
    options?: RequestOptions,
  ): Promise<EventDetail> {
    return this.#transport.send<GetEventData, EventDetail>(
      {
        method: 'GET',
        url: '/api/rest/_events/{eventId}',
        path: { eventId },
        query,
        repeat: 'safe',
      },
      options,
    )
  }
}
