import { describe, expect, it } from '@jest/globals'
import type { AccessEntry } from '@surehook/contracts/http/data/access'
import type { Change } from '@surehook/matching/read-change'
import { unavailable } from '@surehook/service-kit/errors'
import { ann, askedBy, changeOf, tableWith, tenant } from '../../../test/support/user-views.ts'
import type { ReadableTable } from '../../tables/known-tables.ts'
import { userSelectionOf } from './user-selection.ts'
import { UserViews } from './user-views.ts'

function viewsOn(table: ReadableTable | undefined) {
  const { state, ...asked } = askedBy(table)
  return { state, views: new UserViews(asked, ann) }
}

describe('a filter of the client', () => {
  const rules: AccessEntry[] = [
    { role: '*', where: { owner: '$user.id' } },
    { role: '*', where: { team: 'red' }, columns: ['team'] },
  ]
  const red = { id: '1', owner: 'bob', team: 'red', secret: 'x' }
  const sentWith = async (filter: Record<string, unknown>, change: Change) => {
    const { views } = viewsOn(tableWith(rules))
    return (await userSelectionOf(tenant, { filter }, { filters: undefined, views })).of(change)
  }

  it('does not test a column that is hidden in the record', async () => {
    const made = changeOf(null, red, rules)
    for (const secret of ['x', 'y']) {
      expect(await sentWith({ secret }, made)).toBeNull()
      expect(await sentWith({ secret: { ne: secret } }, made)).not.toBeNull()
    }
    expect(await sentWith({ team: 'red' }, made)).not.toBeNull()
  })

  it('does not test whether a hidden column changed', async () => {
    const changed = changeOf(red, { ...red, secret: 'y' }, rules)
    expect(await sentWith({ changed: ['secret'] }, changed)).toBeNull()
    const own = { ...red, owner: 'ann' }
    const ownChanged = changeOf(own, { ...own, secret: 'y' }, rules)
    expect(await sentWith({ changed: ['secret'] }, ownChanged)).not.toBeNull()
  })

  it('does not hold back the DELETE of a record that left the rules', async () => {
    const left = changeOf(red, { ...red, team: 'blue' }, rules)
    expect((await sentWith({ team: 'red' }, left))?.event.operation).toBe('DELETE')
  })

  it('may name only columns that some rule shows', async () => {
    const { views } = viewsOn(tableWith(rules.slice(1)))
    expect([...(await views.fieldsOf('notes')).keys()]).toEqual([
      ...['id', 'createdAt', 'updatedAt', 'team'],
    ])
  })
})

describe('the views of a user', () => {
  it('refuse a table that none of the roles may read, also an unknown one', async () => {
    for (const table of [undefined, tableWith(['other'])]) {
      const { views } = viewsOn(table)
      await expect(views.fieldsOf('notes')).rejects.toMatchObject({ code: 'FORBIDDEN' })
      expect(await views.of('notes')).toBeNull()
    }
  })

  it('end when the rules of a table change', async () => {
    const { views, state } = viewsOn(tableWith(['staff']))
    expect(await views.of('notes')).not.toBeNull()
    expect(views.isCurrent()).toBe(true)
    state.table = tableWith(['other'])
    expect(views.isCurrent()).toBe(false)
    await expect(views.of('notes')).rejects.toThrow('access')
  })

  it('are not current while the tables are not', async () => {
    const { views, state } = viewsOn(tableWith(['staff']))
    state.healthy = false
    expect(views.isCurrent()).toBe(false)
  })

  it('have no change of an earlier table of the same name', async () => {
    const { views } = viewsOn({ ...tableWith(['staff']), createdAt: Date.parse('2026-01-03') })
    const made = changeOf(null, { id: '1', owner: null, team: null, secret: null }, [])
    expect((await views.of('notes'))?.(made)).toBeNull()
  })
})

describe('the views of a user whose rule names an attribute', () => {
  const rules: AccessEntry[] = [{ role: '*', where: { team: '$user.team' } }]
  const north = { email: 'ann@shop.example', attributes: { team: 'north' } }
  const made = changeOf(null, { id: '1', owner: null, team: 'north', secret: null }, rules)
  const userEvent = (recordId: string): Change => ({
    ...made,
    event: { ...made.event, table: 'users', recordId },
  })

  async function begun() {
    const { state, views } = viewsOn(tableWith(rules))
    state.values = north
    const selection = await userSelectionOf(tenant, {}, { filters: undefined, views })
    expect(await selection.of(made)).not.toBeNull()
    return { state, selection }
  }

  it('end when the attribute changes, at the next change of any table', async () => {
    const { state, selection } = await begun()
    state.values = { ...north, attributes: { team: 'south' } }
    await expect(selection.of(made)).rejects.toMatchObject({ reason: 'access' })
  })

  it("ask anew at a change of the user, not at another user's", async () => {
    const { state, selection } = await begun()
    expect(await selection.of(userEvent('bob'))).toBeNull()
    expect(state.forgotten).toBe(0)
    expect(await selection.of(userEvent(ann.id))).toBeNull()
    expect(state.forgotten).toBe(1)
    state.values = null
    await expect(selection.of(userEvent(ann.id))).rejects.toMatchObject({ reason: 'access' })
  })

  it('end while auth-service does not answer', async () => {
    const { state, selection } = await begun()
    state.values = unavailable('away')
    await expect(selection.of(made)).rejects.toMatchObject({ reason: 'access' })
  })

  it('of a table without such a rule never ask', async () => {
    const { state, views } = viewsOn(tableWith(['staff']))
    state.values = unavailable('away')
    const selection = await userSelectionOf(tenant, {}, { filters: undefined, views })
    expect(await selection.of(userEvent(ann.id))).toBeNull()
    expect(await selection.of(made)).not.toBeNull()
    expect(state.forgotten).toBe(0)
  })
})
