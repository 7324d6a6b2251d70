import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useLocation } from 'react-router'
import { faultOf } from '../../parts/feedback/faults.ts'
import { isFindKey } from '../../parts/keys/key-action.ts'
import { isApple } from '../../parts/keys/shortcut.ts'
import { Icon } from '../../parts/layout/icon.tsx'
import type { Session } from '../../session/session.ts'
import type { Entry, Group } from './entries.ts'
import { groupsFor } from './groups-for.ts'
import { useCarryOut } from './use-carry-out.ts'
import {
  type PaletteResult,
  shownPerGroup,
  useFoundInEnvironment,
  useFoundInInstallation,
} from './use-found.ts'
import './palette.css'

export type PaletteProps<Kind extends Session['kind'] = Session['kind']> = {
  session: Extract<Session, { kind: Kind }>
  onClose: () => void
}

/** Goes to anything by its name or id, without the mouse. */
export const Palette = ({ session, onClose }: PaletteProps) =>
  session.kind === 'developer' ? (
    <OfDeveloper session={session} onClose={onClose} />
  ) : (
    <OfOperator session={session} onClose={onClose} />
  )

function OfDeveloper({ session, onClose }: PaletteProps<'developer'>) {
  const [query, setQuery] = useState('')
  const found = useFoundInEnvironment(query, session)
  return <View {...{ session, onClose, query, setQuery, found }} />
}

function OfOperator({ session, onClose }: PaletteProps<'operator'>) {
  const [query, setQuery] = useState('')
  const found = useFoundInInstallation(query, useLocation().pathname)
  return <View {...{ session, onClose, query, setQuery, found }} />
}

type ViewProps = PaletteProps & {
  query: string
  setQuery: (query: string) => void
  found: PaletteResult
}

function View({ session, onClose, query, setQuery, found }: ViewProps) {
  const { isSearching, error, isCut } = found
  const groups = groupsFor(query, session.kind, found.groups)
  const isLeaving = useRef(false)
  const carryOut = useCarryOut(session)
  const choose = (entry: Entry) => {
    isLeaving.current = carryOut(entry)
    onClose()
  }
  const closeAgain = (event: KeyboardEvent) => {
    if (!isFindKey(event.nativeEvent, isApple)) return
    event.preventDefault()
    onClose()
  }
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-backdrop" />
        <Dialog.Popup
          className="dialog palette"
          aria-label="Search"
          // The new page takes the focus.
          finalFocus={() => !isLeaving.current}
          onKeyDown={closeAgain}
        >
          <Autocomplete.Root
            open
            inline
            mode="none"
            items={groups}
            value={query}
            onValueChange={setQuery}
            itemToStringValue={({ label }: Entry) => label}
            autoHighlight="always"
            keepHighlight
          >
            <div className="palette-head">
              <Icon name="search" />
              <Autocomplete.Input
                className="palette-input"
                aria-label="Search"
                placeholder={placeholders[session.kind]}
              />
              <Dialog.Close className="button ghost">
                <kbd>Esc</kbd>
                <span className="visually-hidden">Close</span>
              </Dialog.Close>
            </div>
            <Entries onChoose={choose} />
            <Autocomplete.Status className="palette-status">
              {statusText({ isSearching, error, isCut, isEmpty: groups.length === 0 })}
            </Autocomplete.Status>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const placeholders = {
  developer: 'A page, webhook, table or id',
  operator: 'A page or a project',
}

function Entries({ onChoose }: { onChoose: (entry: Entry) => void }) {
  return (
    <Autocomplete.List className="palette-list">
      {({ name, items }: Group) => (
        <Autocomplete.Group key={name} items={items} className="palette-group">
          <Autocomplete.GroupLabel className="palette-group-name">{name}</Autocomplete.GroupLabel>
          <Autocomplete.Collection>
            {(entry: Entry) => (
              <Autocomplete.Item
                key={entry.id}
                value={entry}
                className="palette-entry"
                onClick={() => onChoose(entry)}
              >
                <EntryView entry={entry} />
              </Autocomplete.Item>
            )}
          </Autocomplete.Collection>
        </Autocomplete.Group>
      )}
    </Autocomplete.List>
  )
}

function EntryView({ entry: { label, detail, icon } }: { entry: Entry }) {
  return (
    <>
      <Icon name={icon} />
      <bdi className="palette-label">{label}</bdi>
      {detail !== undefined && <bdi className="palette-detail">{detail}</bdi>}
    </>
  )
}

type StatusFacts = { isSearching: boolean; error: unknown; isCut: boolean; isEmpty: boolean }

function statusText({ isSearching, error, isCut, isEmpty }: StatusFacts): string {
  if (isSearching) return 'Searching…'
  if (error !== null) return faultOf(error).message
  if (isEmpty) return 'Nothing matches. Find a webhook by its name, key or URL.'
  return isCut ? `The first ${shownPerGroup} are shown. Type more to see others.` : ''
}
