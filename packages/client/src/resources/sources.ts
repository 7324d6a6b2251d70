import type {
  DeleteSourceData,
  DeleteSourceResponse,
  GetSourceData,
  ListSourcesData,
  ListSourcesResponse,
  PutSourceData,
  Source,
  SourceInput,
} from '../generated/sources/types.gen.ts'
import type { RequestOptions } from '../transport/operation.ts'
import type { Transport } from '../transport/transport.ts'

const url = '/api/rest/_sources/{source}'

/** The PostgreSQL databases of your own whose changes become events. */
export class Sources {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async list(options?: RequestOptions): Promise<Source[]> {
    const { sources } = await this.#transport.send<ListSourcesData, ListSourcesResponse>(
      { method: 'GET', url: '/api/rest/_sources', repeat: 'safe' },
      options,
    )
    return sources
  }

  /** Resolves with its state, and the SQL that is still to be run for it. */
  get(source: string, options?: RequestOptions): Promise<Source> {
    return this.#transport.send<GetSourceData, Source>(
      { method: 'GET', url, path: { source }, repeat: 'safe' },
      options,
    )
  }

  /** Creates the source, or changes it. */
  put(source: string, input: SourceInput, options?: RequestOptions): Promise<Source> {
    return this.#transport.send<PutSourceData, Source>(
      { method: 'PUT', url, path: { source }, body: input, repeat: 'safe' },
      options,
    )
  }

  /** Deletes the source. `sql` of the answer drops a slot that could not be dropped. */
  delete(source: string, options?: RequestOptions): Promise<DeleteSourceResponse> {
    return this.#transport.send<DeleteSourceData, DeleteSourceResponse>(
      { method: 'DELETE', url, path: { source }, repeat: 'once' },
      options,
    )
  }
}
