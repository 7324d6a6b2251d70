import type {
  DeleteUserData,
  EndUserSessionData,
  GetUserData,
  GetUserLockData,
  ImportUsersData,
  ImportUsersResponse,
  ListUserSessionsData,
  ListUserSessionsResponse,
  ListUsersData,
  ListUsersResponse,
  LogoutUserData,
  OpenSession,
  UnlockUserData,
  UpdateUserData,
  UserAccount,
  UserChange,
  UserLock,
} from '../generated/admin/types.gen.ts'
import { itemsOf } from '../resources/items.ts'
import { deletion, type Query, type RequestOptions } from '../transport/operation.ts'
import type { Transport } from '../transport/transport.ts'

export type UserQuery = Query<ListUsersData>

const all = '/auth/admin/projects/{project}/environments/{environment}/users'
const one = `${all}/{id}` as const

/** The user accounts of the client's environment. */
export class Users {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  list(query: UserQuery = {}, options?: RequestOptions): Promise<ListUsersResponse> {
    return this.#transport.send<ListUsersData, ListUsersResponse>(
      { method: 'GET', url: all, path: this.#transport.tenant, query, repeat: 'safe' },
      options,
    )
  }

  /** Iterates over the users of all pages. */
  iterate(
    query: UserQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<UserAccount, void, undefined> {
    const list = (asked: UserQuery) => this.list(asked, options)
    return itemsOf(list, ({ users }) => users, query)
  }

  get(id: string, options?: RequestOptions): Promise<UserAccount> {
    return this.#transport.send<GetUserData, UserAccount>(
      { method: 'GET', url: one, path: this.#path(id), repeat: 'safe' },
      options,
    )
  }

  update(id: string, body: UserChange, options?: RequestOptions): Promise<UserAccount> {
    return this.#transport.send<UpdateUserData, UserAccount>(
      { method: 'PATCH', url: one, path: this.#path(id), body, repeat: 'safe' },
      options,
    )
  }

  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.#transport.send<DeleteUserData, void>(
      { ...deletion, url: one, path: this.#path(id) },
      options,
    )
  }

  /** Ends all sessions of the user. */
  logout(id: string, options?: RequestOptions): Promise<void> {
    return this.#transport.send<LogoutUserData, void>(
      { method: 'POST', url: `${one}/logout`, path: this.#path(id), repeat: 'safe' },
      options,
    )
  }

  /** The sessions of the user that have not ended, newest first. */
  sessions(
    id: string,
    query: Query<ListUserSessionsData> = {},
    options?: RequestOptions,
  ): Promise<ListUserSessionsResponse> {
    return this.#transport.send<ListUserSessionsData, ListUserSessionsResponse>(
      { method: 'GET', url: `${one}/sessions`, path: this.#path(id), query, repeat: 'safe' },
      options,
    )
  }

  /** Iterates over the sessions of all pages. */
  iterateSessions(
    id: string,
    query: Query<ListUserSessionsData> = {},
    options?: RequestOptions,
  ): AsyncGenerator<OpenSession, void, undefined> {
    const list = (asked: typeof query) => this.sessions(id, asked, options)
    return itemsOf(list, ({ sessions }) => sessions, query)
  }

  /** Ends one session of the user. */
  endSession(id: string, sessionId: string, options?: RequestOptions): Promise<void> {
    return this.#transport.send<EndUserSessionData, void>(
      { ...deletion, url: `${one}/sessions/{sessionId}`, path: { ...this.#path(id), sessionId } },
      options,
    )
  }

  /** Tells until when failed logins lock the user, and for which clients. */
  lock(id: string, options?: RequestOptions): Promise<UserLock> {
    return this.#transport.send<GetUserLockData, UserLock>(
      { method: 'GET', url: `${one}/lock`, path: this.#path(id), repeat: 'safe' },
      options,
    )
  }

  /** Ends the lock after failed logins. */
  unlock(id: string, options?: RequestOptions): Promise<void> {
    return this.#transport.send<UnlockUserData, void>(
      { method: 'POST', url: `${one}/unlock`, path: this.#path(id), repeat: 'safe' },
      options,
    )
  }

  /** Imports up to 1,000 users. The answer names those that failed. */
  import(body: ImportUsersData['body'], options?: RequestOptions): Promise<ImportUsersResponse> {
    return this.#transport.send<ImportUsersData, ImportUsersResponse>(
      {
        method: 'POST',
        url: `${all}/import`,
        path: this.#transport.tenant,
        body,
        repeat: 'once',
      },
      options,
    )
  }

  #path(id: string) {
    return { ...this.#transport.tenant, id }
  }
}
