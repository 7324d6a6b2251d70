import type {
  CountEventDeliveriesData,
  CountEventDeliveriesResponse,
  EventBefore,
  EventDetail,
  EventPayload,
  GetEventBeforeData,
  GetEventData,
  ListEventsData,
  ListEventsResponse,
} from '../generated/webhooks/types.gen.ts'
import type { Query, RequestOptions } from '../transport/operation.ts'
import type { Transport } from '../transport/transport.ts'

/** `events` names operations. Default: all. */
export type EventQuery = Omit<Query<ListEventsData>, 'events'> & {
  events?: readonly EventPayload['event'][]
}

/** Changes, and what became of them. */
export class Events {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Resolves with the newest changes, newest first. There is no next page. */
  list(
    { events, ...query }: EventQuery = {},
    options?: RequestOptions,
  ): Promise<ListEventsResponse> {
    const asked = { ...query, ...(events !== undefined && { events: events.join(',') }) }
    return this.#transport.send<ListEventsData, ListEventsResponse>(
      { method: 'GET', url: '/api/rest/_events', query: asked, repeat: 'safe' },
      options,
    )
  }

  /**
   * Resolves with the outcomes of up to 100 events. In an environment with many subscriptions, the
   * answer has only the first of them.
   */
  counts(
    eventIds: readonly string[],
    options?: RequestOptions,
  ): Promise<CountEventDeliveriesResponse> {
    return this.#transport.send<CountEventDeliveriesData, CountEventDeliveriesResponse>(
      {
        method: 'GET',
        url: '/api/rest/_events/counts',
        query: { eventIds: eventIds.join(',') },
        repeat: 'safe',
      },
      options,
    )
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
