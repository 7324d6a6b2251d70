import type {
  AccessExplanation,
  CreateRecordsData,
  DeleteRecordData,
  ExplainAccessData,
  GetRecordData,
  ListRecordsData,
  UpdateRecordData,
} from '../generated/data/types.gen.ts'
import type { Query, RequestOptions, WriteOptions } from '../transport/operation.ts'
import type { Transport } from '../transport/transport.ts'
import { type WatchOptions, type WatchQuery, watchRecords } from '../watch/watch-records.ts'
import { itemsOf } from './items.ts'
import type { NewRecord, RecordPage, RecordQuery, Stored } from './stored-record.ts'

export type VersionOptions = WriteOptions & {
  /** Only if the record still has this ETag; otherwise `PreconditionFailedError`. */
  ifMatch?: string
}

export type ReadOptions = RequestOptions & {
  /**
   * With a management token: the id of a user. The answer is the one that the user would get. The
   * token needs the rights `records`, `tables` and `users`.
   */
  asUser?: string
}

/** The records of a table. */
export class Records<T extends object, New extends object = NewRecord<T>> {
  readonly #transport: Transport
  readonly #table: string

  constructor(transport: Transport, table: string) {
    this.#transport = transport
    this.#table = table
  }

  /** Creates a record, or all records of an array, or none. */
  create(record: New, options?: WriteOptions): Promise<Stored<T>>
  create(records: readonly New[], options?: WriteOptions): Promise<Stored<T>[]>
  create(input: New | readonly New[], options?: WriteOptions): Promise<Stored<T> | Stored<T>[]> {
    return this.#transport.send<CreateRecordsData, Stored<T> | Stored<T>[]>(
      {
        method: 'POST',
        url: '/api/rest/{table}',
        path: { table: this.#table },
        body: input as CreateRecordsData['body'],
        repeat: 'keyed',
      },
      options,
    )
  }

  async get(id: string, options?: ReadOptions): Promise<Stored<T>> {
    return (await this.getWithETag(id, options)).record
  }

  /** Also resolves with the version, for `ifMatch`. */
  async getWithETag(
    id: string,
    options: ReadOptions = {},
  ): Promise<{ record: Stored<T>; etag: string }> {
    const { body, headers } = await this.#transport.exchange<GetRecordData>(
      {
        method: 'GET',
        url: '/api/rest/{table}/{id}',
        path: this.#path(id),
        repeat: 'safe',
        headers: userHeader(options.asUser),
      },
      options,
    )
    return { record: body as Stored<T>, etag: headers.get('etag') ?? '' }
  }

  /** Changes the named fields. */
  update(id: string, fields: Partial<New>, options: VersionOptions = {}): Promise<Stored<T>> {
    return this.#transport.send<UpdateRecordData, Stored<T>>(
      {
        method: 'PATCH',
        url: '/api/rest/{table}/{id}',
        path: this.#path(id),
        body: fields,
        repeat: 'keyed',
        headers: versionHeader(options),
      },
      options,
    )
  }

  /** Resolves with the deleted record. */
  delete(id: string, options: VersionOptions = {}): Promise<Stored<T>> {
    return this.#transport.send<DeleteRecordData, Stored<T>>(
      {
        method: 'DELETE',
        url: '/api/rest/{table}/{id}',
        path: this.#path(id),
        repeat: 'keyed',
        headers: versionHeader(options),
      },
      options,
    )
  }

  list(query: RecordQuery = {}, options: ReadOptions = {}): Promise<RecordPage<T>> {
    return this.#transport.send<ListRecordsData, RecordPage<T>>(
      {
        method: 'GET',
        url: '/api/rest/{table}',
        path: { table: this.#table },
        query: wireQuery(query),
        repeat: 'safe',
        headers: userHeader(options.asUser),
      },
      options,
    )
  }

  /** Iterates over the records of all pages. */
  iterate(
    query: RecordQuery = {},
    options?: ReadOptions,
  ): AsyncGenerator<Stored<T>, void, undefined> {
    const list = (asked: RecordQuery) => this.list(asked, options)
    return itemsOf(list, ({ records }) => records, query)
  }

  /** Explains what a user may do with a record, and what each rule of the table makes of it. */
  explain(
    id: string,
    { userId }: { userId: string },
    options?: RequestOptions,
  ): Promise<AccessExplanation> {
    return this.#transport.send<ExplainAccessData, AccessExplanation>(
      {
        method: 'GET',
        url: '/api/rest/_tables/{table}/explain',
        path: { table: this.#table },
        query: { recordId: id },
        repeat: 'safe',
        headers: userHeader(userId),
      },
      options,
    )
  }

  /**
   * Iterates over the list as it is now, and again after each change, across reconnections. Each
   * list is a new array. `signal` ends it. It rejects if another attempt gets the same answer, such
   * as 401, 403 and 404, and above 10,000 records.
   */
  watch(
    query: WatchQuery = {},
    options: WatchOptions = {},
  ): AsyncGenerator<readonly Stored<T>[], void, undefined> {
    const watched = { transport: this.#transport, table: this.#table, records: this }
    return watchRecords<T>(watched, query, options)
  }

  #path(id: string) {
    return { table: this.#table, id }
  }
}

const versionHeader = ({ ifMatch }: VersionOptions): Record<string, string> =>
  ifMatch === undefined ? {} : { 'if-match': ifMatch }

const userHeader = (id: string | undefined): Record<string, string> =>
  id === undefined ? {} : { 'x-as-user': id }

function wireQuery({ where, order, ...page }: RecordQuery): Query<ListRecordsData> {
  return {
    ...page,
    ...(where !== undefined && { where: JSON.stringify(where) }),
    ...(order !== undefined && { order: typeof order === 'string' ? order : order.join(',') }),
  }
}
