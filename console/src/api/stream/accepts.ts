import type { ChangeEvent } from '@surehook/client'
import { isReservedTable } from '@surehook/contracts/http/data/reserved-tables'

export type Accepts = (change: Pick<ChangeEvent, 'table'>) => boolean

export const acceptsAll: Accepts = () => true
const acceptsOwn: Accepts = ({ table }) => !isReservedTable(table)

/** Reserved tables show if the reader asks for them, or for one of them by name. */
export const acceptsFor = (isReservedShown: boolean, table = ''): Accepts =>
  isReservedShown || isReservedTable(table) ? acceptsAll : acceptsOwn
