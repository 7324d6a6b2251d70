import { expect, it } from '@jest/globals'
import { ann, askedBy, tableWith, tenant } from '../../../test/support/user-views.ts'
import { type ListReader, listView } from './list-view.ts'

const key = Buffer.alloc(32)
const entries = [{ role: '*', where: { team: '$user.team' } }]

function viewsOf(asked: ReturnType<typeof askedBy>) {
  return (user: ListReader['user'] | null = ann, by = key) => {
    const reader = user && { user, values: asked.users }
    return listView({ tables: asked.tables, key: by }, tenant, { reader, names: ['notes'] })
  }
}

it('a view is the same for the same caller, rules and values, and another one otherwise', async () => {
  const asked = askedBy(tableWith(entries))
  asked.state.values = { email: 'ann@example.com', attributes: { team: 'red' } }
  const view = viewsOf(asked)
  const texts = [(await view()).text]
  expect([(await view()).text]).toEqual(texts)
  // No rule names the address.
  asked.state.values = { email: 'other@example.com', attributes: { team: 'red' } }
  expect([(await view()).text]).toEqual(texts)
  expect([(await view({ ...ann, roles: ann.roles.toReversed() })).text]).toEqual(texts)

  asked.state.values = { email: 'ann@example.com', attributes: { team: 'blue' } }
  texts.push((await view()).text)
  texts.push((await view({ ...ann, id: 'bob' })).text)
  texts.push((await view({ ...ann, roles: [] })).text)
  texts.push((await view(null)).text, (await view(ann, Buffer.alloc(32, 1))).text)
  asked.state.table = { ...tableWith(entries), createdAt: 0 }
  texts.push((await view()).text)
  asked.state.table = undefined
  texts.push((await view()).text)
  expect(new Set(texts).size).toBe(texts.length)
})

it('a view ends when its table changes', async () => {
  const asked = askedBy(tableWith(entries))
  const view = await viewsOf(asked)()
  expect(view.isCurrent()).toBe(true)
  asked.state.table = tableWith(entries)
  expect(view.isCurrent()).toBe(false)
})
