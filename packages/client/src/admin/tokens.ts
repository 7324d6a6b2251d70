import type {
  CreateManagementTokenData,
  CreateManagementTokenResponse,
  DeleteManagementTokenData,
  ListManagementTokensData,
  ListManagementTokensResponse,
  ManagementToken,
} from '../generated/admin/types.gen.ts'
import { itemsOf } from '../resources/items.ts'
import { deletion, type Query, type RequestOptions } from '../transport/operation.ts'
import type { Transport } from '../transport/transport.ts'

export type NewToken = CreateManagementTokenData['body']
type TokenQuery = Query<ListManagementTokensData>

const url = '/auth/admin/projects/{project}/management-tokens'

/** The management tokens of the client's project. */
export class Tokens {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Only this answer holds the token. */
  create(body: NewToken, options?: RequestOptions): Promise<CreateManagementTokenResponse> {
    return this.#transport.send<CreateManagementTokenData, CreateManagementTokenResponse>(
      { method: 'POST', url, path: this.#path, body, repeat: 'once' },
      options,
    )
  }

  list(query: TokenQuery = {}, options?: RequestOptions): Promise<ListManagementTokensResponse> {
    return this.#transport.send<ListManagementTokensData, ListManagementTokensResponse>(
      { method: 'GET', url, path: this.#path, query, repeat: 'safe' },
      options,
    )
  }

  /** Iterates over the tokens of all pages. */
  iterate(
    query: TokenQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<ManagementToken, void, undefined> {
    const list = (asked: TokenQuery) => this.list(asked, options)
    return itemsOf(list, ({ tokens }) => tokens, query)
  }

  /** Revokes the token. */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.#transport.send<DeleteManagementTokenData, void>(
      { ...deletion, url: `${url}/{id}`, path: { ...this.#path, id } },
      options,
    )
  }

  get #path() {
    return { project: this.#transport.tenant.project }
  }
}
