import { type Ref, useEffect, useRef, useState } from 'react'
import { Button } from '../forms/button.tsx'
import { ChangedView } from './changed-view.tsx'
import { FaultList } from './fault-list.tsx'
import { useFaults, useFilterForm } from './filter-context.ts'
import { withMember } from './model/edits.ts'
import {
  emptyRow,
  type Group,
  type GroupKind,
  groupKinds,
  type Member,
  mostLevels,
} from './model/model.ts'
import { at } from './model/model-of.ts'
import { RowView } from './row-view.tsx'

type GroupViewProps = {
  group: Group
  address: string
  level: number
  onChange: (group: Group) => void
  onRemove?: () => void
}

const labelOf = (kind: GroupKind, { length }: Group['of']): string =>
  ({
    all: 'All of',
    any: 'Any of',
    notAll: length > 1 ? 'Not all of' : 'Not',
    none: 'None of',
  })[kind]

export function GroupView({ group, address, level, onChange, onRemove }: GroupViewProps) {
  const { empty } = useFilterForm()
  const { list, addButton, removals, add, remove } = useMembers(group, onChange)
  const isRoot = onRemove === undefined
  const isEmpty = group.of.length === 0
  return (
    <div
      className="filter-group"
      role="group"
      aria-label={isRoot ? 'Conditions' : `Group: ${labelOf(group.kind, group.of)}`}
    >
      {!(isRoot && isEmpty) && <GroupHead group={group} onChange={onChange} onRemove={onRemove} />}
      <FaultList faults={useFaults(address)} />
      {isEmpty && (
        <p className="quiet small">{isRoot ? empty : 'This group has no condition yet.'}</p>
      )}
      <ol className="filter-members" ref={list}>
        {group.of.map((member, index) => (
          <li
            // A removal moves the members after it, so React mounts them again.
            // oxlint-disable-next-line react/no-array-index-key -- members have no other name
            key={`${removals}.${index}`}
          >
            <MemberView
              member={member}
              index={index}
              address={at(address, index)}
              level={level}
              onChange={(next) => onChange(withMember(group, index, next))}
              onRemove={() => remove(index)}
            />
          </li>
        ))}
      </ol>
      <AddButtons level={level} firstRef={addButton} onAdd={add} />
    </div>
  )
}

function GroupHead({
  group,
  onChange,
  onRemove,
}: Pick<GroupViewProps, 'group' | 'onChange'> & { onRemove: (() => void) | undefined }) {
  return (
    <div className="filter-group-head">
      <label className="row">
        <span>Match</span>
        <select
          className="control"
          value={group.kind}
          onChange={(event) => onChange({ ...group, kind: event.target.value as GroupKind })}
        >
          {groupKinds.map((kind) => (
            <option key={kind} value={kind}>
              {labelOf(kind, group.of)}
            </option>
          ))}
        </select>
      </label>
      {onRemove && (
        <Button look="ghost" icon="close" onClick={onRemove} aria-label="Remove the group" />
      )}
    </div>
  )
}

type MemberViewProps = {
  member: Member
  index: number
  address: string
  level: number
  onChange: (member: Member) => void
  onRemove: () => void
}

function MemberView({ member, index, address, level, onChange, onRemove }: MemberViewProps) {
  const own = { address, number: index + 1, onChange, onRemove }
  switch (member.kind) {
    case 'row':
      return <RowView row={member} {...own} />
    case 'changed':
      return <ChangedView changed={member} {...own} />
    case 'all':
    case 'any':
    case 'none':
    case 'notAll':
      return (
        <GroupView
          group={member}
          address={address}
          level={level + 1}
          onChange={onChange}
          onRemove={onRemove}
        />
      )
  }
}

type AddButtonsProps = {
  level: number
  firstRef: Ref<HTMLButtonElement>
  onAdd: (member: Member) => void
}

function AddButtons({ level, firstRef, onAdd }: AddButtonsProps) {
  const { hasChanges } = useFilterForm()
  return (
    <div className="filter-add">
      <Button ref={firstRef} look="ghost" icon="plus" onClick={() => onAdd(emptyRow)}>
        Add a condition
      </Button>
      {level < mostLevels && (
        <Button look="ghost" icon="plus" onClick={() => onAdd({ kind: 'any', of: [emptyRow] })}>
          Add a group
        </Button>
      )}
      {hasChanges && (
        <Button look="ghost" icon="plus" onClick={() => onAdd({ kind: 'changed', fields: [] })}>
          Add changed columns
        </Button>
      )}
    </div>
  )
}

/** Adds and removes members. The focus goes to what is new, or to what took the place. */
function useMembers(group: Group, onChange: (group: Group) => void) {
  const list = useRef<HTMLOListElement>(null)
  const addButton = useRef<HTMLButtonElement>(null)
  const focused = useRef<{ index: number; selector: string } | null>(null)
  const [removals, setRemovals] = useState(0)
  useEffect(() => {
    if (focused.current === null) return
    const { index, selector } = focused.current
    focused.current = null
    const place = list.current?.children[index]?.querySelector<HTMLElement>(selector)
    const next = place ?? addButton.current
    next?.focus()
  })
  const add = (member: Member) => {
    focused.current = { index: group.of.length, selector: '.filter-row select, .filter-row input' }
    onChange({ ...group, of: [...group.of, member] })
  }
  const remove = (index: number) => {
    focused.current = { index, selector: 'button[aria-label^="Remove"]' }
    setRemovals(removals + 1)
    onChange(withMember(group, index, null))
  }
  return { list, addButton, removals, add, remove }
}
