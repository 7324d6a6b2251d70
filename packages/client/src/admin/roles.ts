import type {
  CreateRoleData,
  CreateRoleResponse,
  ListRolesData,
  ListRolesResponse,
  Role,
} from '../generated/admin/types.gen.ts'
import { itemsOf } from '../resources/items.ts'
import type { Query, RequestOptions } from '../transport/operation.ts'
import type { Transport } from '../transport/transport.ts'

export type NewRole = CreateRoleData['body']
type RoleQuery = Query<ListRolesData>

const url = '/auth/admin/projects/{project}/environments/{environment}/roles'

/** The roles of the client's environment. */
export class Roles {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  create(body: NewRole, options?: RequestOptions): Promise<CreateRoleResponse> {
    return this.#transport.send<CreateRoleData, CreateRoleResponse>(
      { method: 'POST', url, path: this.#transport.tenant, body, repeat: 'once' },
      options,
    )
  }

  list(query: RoleQuery = {}, options?: RequestOptions): Promise<ListRolesResponse> {
    return this.#transport.send<ListRolesData, ListRolesResponse>(
      { method: 'GET', url, path: this.#transport.tenant, query, repeat: 'safe' },
      options,
    )
  }

  /** Iterates over the roles of all pages. */
  iterate(query: RoleQuery = {}, options?: RequestOptions): AsyncGenerator<Role, void, undefined> {
    const list = (asked: RoleQuery) => this.list(asked, options)
    return itemsOf(list, ({ roles }) => roles, query)
  }
}
