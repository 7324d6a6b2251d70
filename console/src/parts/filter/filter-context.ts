import { createContext, use } from 'react'
import type { Column } from './model/columns.ts'
import type { Fault, Faults } from './model/faults.ts'

/** What every part of the form needs. */
export type FilterForm = {
  /** Null if nobody knows the columns. Then they are typed. */
  columns: readonly Column[] | null
  faults: Faults
  /** An update has changed columns. A record has none. */
  hasChanges: boolean
  /** What a filter without a condition means. */
  empty: string
}

const FilterFormContext = createContext<FilterForm | null>(null)
export const FilterFormProvider = FilterFormContext.Provider

export function useFilterForm(): FilterForm {
  const form = use(FilterFormContext)
  if (form === null) throw new Error('no filter')
  return form
}

const none: readonly Fault[] = []

export const useFaults = (address: string): readonly Fault[] =>
  useFilterForm().faults.get(address) ?? none
