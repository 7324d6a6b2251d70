import type {
  EventBefore,
  EventDetail,
  GetEventBeforeData,
  GetEventData,
} from '../generated/webhooks/types.gen.ts'
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

  /** Resolves with the last earlier change of the same record, if the log still has it. */
  before(
    eventId: string,
    query: Query<GetEventBeforeData> = {},
    options?: RequestOptions,
  ): Promise<EventBefore> {
    return this.#transport.send<GetEventBeforeData, EventBefore>(
      {
        method: 'GET',
        url: '/api/rest/_events/{eventId}/before',
        path: { eventId },
        query,
        repeat: 'safe',
      },
      options,
    )
  }
}
