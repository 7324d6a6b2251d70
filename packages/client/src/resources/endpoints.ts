import type {
  CloseEndpointData,
  Endpoint,
  GetEndpointData,
  ListEndpointsData,
  ListEndpointsResponse,
} from '../generated/webhooks/types.gen.ts'
import type { Query, RequestOptions } from '../transport/operation.ts'
import type { Transport } from '../transport/transport.ts'
import { itemsOf } from './items.ts'

type EndpointQuery = Query<ListEndpointsData>

/** The receivers of the subscriptions, and their circuits. */
export class Endpoints {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  list(query: EndpointQuery = {}, options?: RequestOptions): Promise<ListEndpointsResponse> {
    return this.#transport.send<ListEndpointsData, ListEndpointsResponse>(
      { method: 'GET', url: '/api/rest/_endpoints', query, repeat: 'safe' },
      options,
    )
  }

  /** Iterates over the endpoints of all pages. */
  iterate(
    query: EndpointQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<Endpoint, void, undefined> {
    const list = (asked: EndpointQuery) => this.list(asked, options)
    return itemsOf(list, ({ endpoints }) => endpoints, query)
  }

  get(id: string, options?: RequestOptions): Promise<Endpoint> {
    return this.#transport.send<GetEndpointData, Endpoint>(
      { method: 'GET', url: '/api/rest/_endpoints/{id}', path: { id }, repeat: 'safe' },
      options,
    )
  }

  /** Closes the circuit: paused deliveries go out. */
  close(id: string, options?: RequestOptions): Promise<void> {
    return this.#transport.send<CloseEndpointData, void>(
      { method: 'POST', url: '/api/rest/_endpoints/{id}/close', path: { id }, repeat: 'safe' },
      options,
    )
  }
}
