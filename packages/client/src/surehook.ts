import { Admin } from './admin/admin.ts'
import { Changes } from './resources/changes.ts'
import { Deliveries } from './resources/deliveries.ts'
import { Endpoints } from './resources/endpoints.ts'
import { Events } from './resources/events.ts'
import { Records } from './resources/records.ts'
import { Sources } from './resources/sources.ts'
import type { NewRecord } from './resources/stored-record.ts'
import { Tables } from './resources/tables.ts'
import { Webhooks } from './resources/webhooks.ts'
import { type ChangePage, type ChangePageQuery, readChangePage } from './stream/change-page.ts'
import { ChangeStream, type StreamOptions } from './stream/change-stream.ts'
import type { RequestOptions } from './transport/operation.ts'
import { Transport } from './transport/transport.ts'
import { checkedBaseUrl, type TokenSource } from './transport/values.ts'

export type SurehookOptions = {
  /** The URL of the gateway, such as `https://surehook.example.com`. */
  baseUrl: string
  projectId: string
  /** Default: `master`. */
  environment?: string
  /** A management token, or the access token of a user, or a function that gets the current one. */
  token: TokenSource
  /** Only for `admin`. Default: `token`. */
  adminToken?: TokenSource
  /** Sends the requests. Default: the `fetch` of the platform. */
  fetch?: typeof globalThis.fetch
  /** Milliseconds of one attempt. Default: 30,000. */
  timeout?: number
  /** Attempts after the first. Default: 2. */
  maxRetries?: number
}

/** A client of one environment. */
export class Surehook {
  /** The definitions of the tables. */
  readonly tables: Tables
  /** PostgreSQL databases of your own. */
  readonly sources: Sources
  /** The subscriptions. */
  readonly webhooks: Webhooks
  readonly deliveries: Deliveries
  readonly events: Events
  readonly endpoints: Endpoints
  readonly changes: Changes
  readonly admin: Admin
  readonly #transport: Transport

  constructor(options: SurehookOptions) {
    const { projectId, environment = 'master', token, adminToken = token } = options
    const { timeout = 30_000, maxRetries = 2 } = options
    // A browser's fetch works only as a method of its window.
    const { fetch = (...args) => globalThis.fetch(...args) } = options
    const baseUrl = checkedBaseUrl(options.baseUrl)
    const given = { baseUrl, projectId, environment, token, adminToken, fetch, timeout, maxRetries }
    const transport = new Transport(given)
    this.#transport = transport
    this.tables = new Tables(transport)
    this.sources = new Sources(transport)
    this.webhooks = new Webhooks(transport)
    this.deliveries = new Deliveries(transport)
    this.events = new Events(transport)
    this.endpoints = new Endpoints(transport)
    this.changes = new Changes(transport)
    this.admin = new Admin(transport)
  }

  /** The records of a table. `T` is a record; `New` is what `create` takes. */
  table<T extends object = Record<string, unknown>, New extends object = NewRecord<T>>(
    name: string,
  ): Records<T, New> {
    return new Records<T, New>(this.#transport, name)
  }

  /** Iterates over changes, across reconnections. `T` is a record. */
  stream<T extends object = Record<string, unknown>>(options: StreamOptions = {}): ChangeStream<T> {
    return new ChangeStream<T>(this.#transport, options)
  }

  /**
   * Reads one page of changes, with the headers and bytes of their webhooks. `wait` must be shorter
   * than `timeout`.
   */
  streamPage(query: ChangePageQuery = {}, options?: RequestOptions): Promise<ChangePage> {
    return readChangePage(this.#transport, query, options)
  }
}
