import type { DataRecord } from '../generated/data/types.gen.ts'
import type { PageQuery } from './items.ts'

type ServerFields = Pick<DataRecord, 'id' | 'createdAt' | 'updatedAt'>

/** A record as Surehook answers it. */
export type Stored<T extends object> = Omit<T, keyof ServerFields> & ServerFields

/** A record as you write it: Surehook gives the rest. */
export type NewRecord<T extends object> = Omit<T, keyof ServerFields>

export type RecordQuery = PageQuery & {
  /** A filter, such as `{ status: 'paid' }`. */
  where?: Record<string, unknown>
  /** Fields, such as `-total,id`: `-` sorts descending. Default: `id`. */
  order?: string | readonly string[]
}

export type RecordPage<T extends object> = {
  records: Stored<T>[]
  /** null on the last page. */
  nextCursor: string | null
}
