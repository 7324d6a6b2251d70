import type { Session } from '../../session/session.ts'
import { pagesToFind } from '../pages/pages.ts'
import { type Group, matching, pageEntry, settingEntries } from './entries.ts'

/** What the palette lists for a query: what an id belongs to, pages, what was found, settings. */
export function groupsFor(
  query: string,
  kind: Session['kind'],
  { byId, named }: { byId: Group[]; named: Group[] },
): Group[] {
  const pages = pagesToFind(kind).map(pageEntry)
  const groups = [
    ...byId,
    { name: 'Go to', items: matching(pages, query) },
    ...named,
    { name: 'Settings', items: matching(settingEntries, query) },
  ]
  return groups.filter(({ items }) => items.length > 0)
}
