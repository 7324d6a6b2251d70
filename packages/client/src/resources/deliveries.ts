import type {
  DeliveryDetail,
  FoundDelivery,
  GetDeliveryData,
  RedeliverData,
  RedeliverResponse,
  SearchDeliveriesData,
  SearchDeliveriesResponse,
} from '../generated/webhooks/types.gen.ts'
import type { Query, RequestOptions, WriteOptions } from '../transport/operation.ts'
import type { Transport } from '../transport/transport.ts'
import { itemsOf } from './items.ts'

export type DeliveryQuery = Query<SearchDeliveriesData>

/** The deliveries of all subscriptions. */
export class Deliveries {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Resolves with a page of deliveries. */
  search(query: DeliveryQuery = {}, options?: RequestOptions): Promise<SearchDeliveriesResponse> {
    return this.#transport.send<SearchDeliveriesData, SearchDeliveriesResponse>(
      { method: 'GET', url: '/api/rest/_deliveries', query, repeat: 'safe' },
      options,
    )
  }

  /** Iterates over the deliveries of all pages. */
  iterate(
    query: DeliveryQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<FoundDelivery, void, undefined> {
    const search = (asked: DeliveryQuery) => this.search(asked, options)
    return itemsOf(search, ({ deliveries }) => deliveries, query)
  }

  /** Resolves with the attempts and the body too. */
  get(webhookId: string, deliveryId: string, options?: RequestOptions): Promise<DeliveryDetail> {
    return this.#transport.send<GetDeliveryData, DeliveryDetail>(
      {
        method: 'GET',
        url: '/api/rest/_webhooks/{id}/deliveries/{deliveryId}',
        path: { id: webhookId, deliveryId },
        repeat: 'safe',
      },
      options,
    )
  }

  /** Sends the delivery again, as a new delivery. */
  redeliver(
    webhookId: string,
    deliveryId: string,
    options?: WriteOptions,
  ): Promise<RedeliverResponse> {
    return this.#transport.send<RedeliverData, RedeliverResponse>(
      {
        method: 'POST',
        url: '/api/rest/_webhooks/{id}/deliveries/{deliveryId}/redeliver',
        path: { id: webhookId, deliveryId },
        repeat: 'keyed',
      },
      options,
    )
  }
}
