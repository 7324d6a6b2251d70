import { describe, expect, it } from '@jest/globals'
import { type RuledUser, valuesOf } from './rule-values.ts'

const tenant = { projectId: 'shop', environment: 'master' }
const where = { a: '$user.id', b: '$user.email', c: '$user.team', d: '$user.constructor' }
const entries = [{ role: '*', where }]
const names = ['id', 'email', 'team', 'constructor']

async function known(issued: RuledUser['issued']) {
  const asked: string[] = []
  const of = async (_tenant: unknown, id: string) => {
    asked.push(id)
    return { email: 'own@x.example', attributes: { team: 'north' } }
  }
  const user = { tenant, id: 'auth0|ada', roles: [], issued }
  const valueOf = await valuesOf({ of }, user, entries)
  return { asked, values: names.map((name) => valueOf(name)) }
}

describe('the values of a user of a trusted issuer', () => {
  it('are those of the token: auth-service is not asked', async () => {
    const issuer = 'https://login.example'
    expect(await known({ issuer, email: 'ada@x.example' })).toEqual({
      ...{ asked: [], values: ['auth0|ada', 'ada@x.example', undefined, undefined] },
    })
    expect((await known({ issuer, email: null })).values[1]).toBeUndefined()
  })

  it('are those of auth-service for its own user', async () => {
    expect(await known(undefined)).toEqual({
      ...{ asked: ['auth0|ada'], values: ['auth0|ada', 'own@x.example', 'north', undefined] },
    })
  })
})
