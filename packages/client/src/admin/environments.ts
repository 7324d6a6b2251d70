import type {
  DeleteEnvironmentData,
  DeleteEnvironmentResponse,
  Environment,
  GetEnvironmentData,
  ListEnvironmentsData,
  ListEnvironmentsResponse,
  PutEnvironmentData,
  RotateKeysData,
  RotateKeysResponse,
  TestNotifyData,
  TestNotifyResponse,
} from '../generated/admin/types.gen.ts'
import type { RequestOptions } from '../transport/operation.ts'
import type { Transport } from '../transport/transport.ts'

export type EnvironmentInput = PutEnvironmentData['body']

const url = '/auth/admin/projects/{project}/environments/{environment}'

/** The client's environment, and the others of its project. */
export class Environments {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  get(options?: RequestOptions): Promise<Environment> {
    return this.#transport.send<GetEnvironmentData, Environment>(
      { method: 'GET', url, path: this.#transport.tenant, repeat: 'safe' },
      options,
    )
  }

  /** Lists the names of the project's environments that the token manages. */
  list(options?: RequestOptions): Promise<ListEnvironmentsResponse> {
    const { project } = this.#transport.tenant
    return this.#transport.send<ListEnvironmentsData, ListEnvironmentsResponse>(
      {
        method: 'GET',
        url: '/auth/admin/projects/{project}/environments',
        path: { project },
        repeat: 'safe',
      },
      options,
    )
  }

  /** Creates the environment and its project, or changes its settings. */
  put(body: EnvironmentInput = {}, options?: RequestOptions): Promise<Environment> {
    return this.#transport.send<PutEnvironmentData, Environment>(
      { method: 'PUT', url, path: this.#transport.tenant, body, repeat: 'safe' },
      options,
    )
  }

  /**
   * Resolves with the environment, which serves nobody from now on. A 404 may mean that an earlier
   * attempt, whose answer was lost, deleted it.
   */
  delete(options?: RequestOptions): Promise<DeleteEnvironmentResponse> {
    return this.#transport.send<DeleteEnvironmentData, DeleteEnvironmentResponse>(
      { method: 'DELETE', url, path: this.#transport.tenant, repeat: 'safe' },
      options,
    )
  }

  /** Sends a test alert to everybody whom `notify` names. */
  testNotify(options?: RequestOptions): Promise<TestNotifyResponse> {
    return this.#transport.send<TestNotifyData, TestNotifyResponse>(
      { method: 'POST', url: `${url}/notify/test`, path: this.#transport.tenant, repeat: 'once' },
      options,
    )
  }

  /** Signs with a new key. `immediately` withdraws the old ones. */
  rotateKeys(
    { immediately = false }: { immediately?: boolean } = {},
    options?: RequestOptions,
  ): Promise<RotateKeysResponse> {
    return this.#transport.send<RotateKeysData, RotateKeysResponse>(
      {
        method: 'POST',
        url: `${url}/keys/rotate`,
        path: this.#transport.tenant,
        query: { immediately: `${immediately}` },
        repeat: 'once',
      },
      options,
    )
  }
}
