import type {
  CancelDeliveriesData,
  CancelDeliveriesResponse,
  CancelInput,
  CreateWebhookData,
  DeleteWebhookData,
  Delivery,
  EnvironmentStats,
  ExplainWebhookData,
  Explanation,
  GetEnvironmentStatsData,
  GetReplayData,
  GetWebhookData,
  GetWebhookResponse,
  GetWebhookStatsData,
  ListDeliveriesData,
  ListDeliveriesResponse,
  ListWebhooksData,
  ListWebhooksResponse,
  Preview,
  PreviewInput,
  PreviewWebhookData,
  RecoverInput,
  RecoverWebhookData,
  RecoverWebhookResponse,
  Replay,
  ReplayInput,
  ReplayWebhookData,
  ReplayWebhookResponse,
  Subscription,
  SubscriptionChange,
  SubscriptionInput,
  TestWebhookData,
  TestWebhookResponse,
  UpdateWebhookData,
  WebhookStats,
} from '../generated/webhooks/types.gen.ts'
import {
  deletion,
  type Query,
  type RequestOptions,
  type WriteOptions,
} from '../transport/operation.ts'
import type { Transport } from '../transport/transport.ts'
import { itemsOf } from './items.ts'

type Tenant = 'projectId' | 'environment'

/** A subscription, of the client's project and environment. */
export type NewWebhook = Omit<SubscriptionInput, Tenant>
export type WebhookChange = Omit<SubscriptionChange, Tenant>
export type WebhookPreview = Omit<PreviewInput, Tenant>
export type WebhookQuery = Omit<Query<ListWebhooksData>, 'active' | 'fingerprints'> & {
  active?: boolean
  fingerprints?: boolean
}

const one = '/api/rest/_webhooks/{id}'

/** The subscriptions. */
export class Webhooks {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  create(input: NewWebhook, options?: WriteOptions): Promise<Subscription> {
    const { project: projectId, environment } = this.#transport.tenant
    const body = { ...input, projectId, environment }
    return this.#transport.send<CreateWebhookData, Subscription>(
      { method: 'POST', url: '/api/rest/_webhooks', body, repeat: 'keyed' },
      options,
    )
  }

  /** Resolves with its latest deliveries too. */
  get(id: string, options?: RequestOptions): Promise<GetWebhookResponse> {
    return this.#transport.send<GetWebhookData, GetWebhookResponse>(
      { method: 'GET', url: one, path: { id }, repeat: 'safe' },
      options,
    )
  }

  update(id: string, body: WebhookChange, options?: RequestOptions): Promise<Subscription> {
    return this.#transport.send<UpdateWebhookData, Subscription>(
      { method: 'PATCH', url: one, path: { id }, body, repeat: 'safe' },
      options,
    )
  }

  /** Signs with both secrets for `secretOverlap` seconds, then with the new one. */
  rotateSecret(
    id: string,
    change: Required<Pick<WebhookChange, 'secret'>> & Pick<WebhookChange, 'secretOverlap'>,
    options?: RequestOptions,
  ): Promise<Subscription> {
    return this.update(id, change, options)
  }

  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.#transport.send<DeleteWebhookData, void>(
      { ...deletion, url: one, path: { id } },
      options,
    )
  }

  list(query: WebhookQuery = {}, options?: RequestOptions): Promise<ListWebhooksResponse> {
    const { active, fingerprints, ...rest } = query
    const asked = {
      ...rest,
      ...(active !== undefined && { active: `${active}` as const }),
      ...(fingerprints !== undefined && { fingerprints: `${fingerprints}` as const }),
    }
    return this.#transport.send<ListWebhooksData, ListWebhooksResponse>(
      { method: 'GET', url: '/api/rest/_webhooks', query: asked, repeat: 'safe' },
      options,
    )
  }

  /** Iterates over the subscriptions of all pages. */
  iterate(
    query: WebhookQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<Subscription, void, undefined> {
    const list = (asked: WebhookQuery) => this.list(asked, options)
    return itemsOf(list, ({ webhooks }) => webhooks, query)
  }

  /** Shows what a subscription would have received lately. Sends and stores nothing. */
  preview(body: WebhookPreview, options?: RequestOptions): Promise<Preview> {
    return this.#transport.send<PreviewWebhookData, Preview>(
      { method: 'POST', url: '/api/rest/_webhooks/preview', body, repeat: 'safe' },
      options,
    )
  }

  stats(
    id: string,
    query: Query<GetWebhookStatsData> = {},
    options?: RequestOptions,
  ): Promise<WebhookStats> {
    return this.#transport.send<GetWebhookStatsData, WebhookStats>(
      { method: 'GET', url: `${one}/stats`, path: { id }, query, repeat: 'safe' },
      options,
    )
  }

  /** The numbers of each subscription on a page, and their sums. */
  statsOfAll(
    query: Query<GetEnvironmentStatsData> = {},
    options?: RequestOptions,
  ): Promise<EnvironmentStats> {
    return this.#transport.send<GetEnvironmentStatsData, EnvironmentStats>(
      { method: 'GET', url: '/api/rest/_webhooks/stats', query, repeat: 'safe' },
      options,
    )
  }

  /** Says why the subscription got an event, or why not. */
  explain(
    id: string,
    query: Query<ExplainWebhookData>,
    options?: RequestOptions,
  ): Promise<Explanation> {
    return this.#transport.send<ExplainWebhookData, Explanation>(
      { method: 'GET', url: `${one}/explain`, path: { id }, query, repeat: 'safe' },
      options,
    )
  }

  /** Resolves with a page of the subscription's deliveries. */
  deliveries(
    id: string,
    query: Query<ListDeliveriesData> = {},
    options?: RequestOptions,
  ): Promise<ListDeliveriesResponse> {
    return this.#transport.send<ListDeliveriesData, ListDeliveriesResponse>(
      { method: 'GET', url: `${one}/deliveries`, path: { id }, query, repeat: 'safe' },
      options,
    )
  }

  /** Iterates over the subscription's deliveries of all pages. */
  iterateDeliveries(
    id: string,
    query: Query<ListDeliveriesData> = {},
    options?: RequestOptions,
  ): AsyncGenerator<Delivery, void, undefined> {
    const list = (asked: typeof query) => this.deliveries(id, asked, options)
    return itemsOf(list, ({ deliveries }) => deliveries, query)
  }

  /** Sends a test event. */
  test(id: string, options?: WriteOptions): Promise<TestWebhookResponse> {
    return this.#transport.send<TestWebhookData, TestWebhookResponse>(
      { method: 'POST', url: `${one}/test`, path: { id }, repeat: 'keyed' },
      options,
    )
  }

  /** Drops the deliveries in a state. */
  cancel(id: string, body: CancelInput, options?: WriteOptions): Promise<CancelDeliveriesResponse> {
    return this.#transport.send<CancelDeliveriesData, CancelDeliveriesResponse>(
      { method: 'POST', url: `${one}/cancel`, path: { id }, body, repeat: 'keyed' },
      options,
    )
  }

  /** Sends dead letters again. */
  recover(id: string, body: RecoverInput, options?: WriteOptions): Promise<RecoverWebhookResponse> {
    return this.#transport.send<RecoverWebhookData, RecoverWebhookResponse>(
      { method: 'POST', url: `${one}/recover`, path: { id }, body, repeat: 'keyed' },
      options,
    )
  }

  /** Sends the changes of a past time again, as the subscription is now. */
  replay(id: string, body: ReplayInput, options?: WriteOptions): Promise<ReplayWebhookResponse> {
    return this.#transport.send<ReplayWebhookData, ReplayWebhookResponse>(
      { method: 'POST', url: `${one}/replay`, path: { id }, body, repeat: 'keyed' },
      options,
    )
  }

  /** Shows how far a replay is. */
  getReplay(id: string, replayId: string, options?: RequestOptions): Promise<Replay> {
    return this.#transport.send<GetReplayData, Replay>(
      { method: 'GET', url: `${one}/replays/{replayId}`, path: { id, replayId }, repeat: 'safe' },
      options,
    )
  }
}
