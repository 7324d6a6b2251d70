import type { Column } from '../../parts/data/tables/data-table.tsx'

type Key = { kid: string; use: 'sig' | 'enc' }

/** What every list of keys shows. */
export const keyColumns: readonly Column<Key>[] = [
  {
    id: 'kid',
    header: 'Key',
    cell: ({ kid }) => <code className="breakable">{kid}</code>,
    isTitle: true,
  },
  { id: 'use', header: 'Use', cell: ({ use }) => (use === 'sig' ? 'signs' : 'encrypts') },
]

export const keyIdOf = ({ kid }: Key) => kid
