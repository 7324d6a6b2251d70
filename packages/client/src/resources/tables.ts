import type {
  DeleteTableData,
  GetTableData,
  ListTablesData,
  ListTablesResponse,
  PutTableData,
  Table,
  TableInput,
} from '../generated/data/types.gen.ts'
import { deletion, type RequestOptions } from '../transport/operation.ts'
import type { Transport } from '../transport/transport.ts'

const url = '/api/rest/_tables/{table}'

/** The definitions of the tables. */
export class Tables {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async list(options?: RequestOptions): Promise<Table[]> {
    const { tables } = await this.#transport.send<ListTablesData, ListTablesResponse>(
      { method: 'GET', url: '/api/rest/_tables', repeat: 'safe' },
      options,
    )
    return tables
  }

  get(table: string, options?: RequestOptions): Promise<Table> {
    return this.#transport.send<GetTableData, Table>(
      { method: 'GET', url, path: { table }, repeat: 'safe' },
      options,
    )
  }

  /** Creates the table, or adds columns to it. */
  put(table: string, input: TableInput, options?: RequestOptions): Promise<Table> {
    return this.#transport.send<PutTableData, Table>(
      { method: 'PUT', url, path: { table }, body: input, repeat: 'safe' },
      options,
    )
  }

  /** Deletes the table and its records. */
  delete(table: string, options?: RequestOptions): Promise<void> {
    return this.#transport.send<DeleteTableData, void>(
      { ...deletion, url, path: { table } },
      options,
    )
  }
}
