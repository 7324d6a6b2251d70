import { describe, expect, test } from '@jest/globals'
import type { Records } from '@surehook/scripts/client/call'
import { text, titlesOf, useRulesWorld } from './support/rules-world.ts'

const rules = useRulesWorld()

describe('a rule that names what the token lacks', () => {
  test('compares with the address and the attributes that auth-service knows', async () => {
    await rules.define('teams', {
      columns: [text('title'), text('team'), { name: 'level', type: 'integer' }],
      access: {
        read: [
          { role: 'm', where: { team: { in: '$user.teams' }, level: { lte: '$user.level' } } },
        ],
        create: [{ role: 'm', where: { team: { in: '$user.teams' } } }],
      },
    })
    const member = await rules.userWith('m')
    const unfit = await rules.userWith('m')
    const attributes = { teams: ['red', 'blue'], level: 2 }
    rules.issuer.values.set(member.id, { email: 'a@example.com', attributes })
    rules.issuer.values.set(unfit.id, {
      email: 'b@example.com',
      attributes: { teams: 'red', level: 'high' },
    })
    await rules.manager.call('POST teams', [
      { title: 'a', team: 'red', level: 1 },
      { title: 'b', team: 'blue', level: 3 },
      { title: 'c', team: 'green', level: 1 },
    ])
    expect(titlesOf(await member.call<Records>('GET teams'))).toEqual(['a'])
    expect(titlesOf(await unfit.call<Records>('GET teams'))).toEqual([])
    expect((await member.call('POST teams', { team: 'blue' })).status).toBe(201)
    expect((await member.call('POST teams', { team: 'green' })).status).toBe(403)
  })

  test('is the only one that waits for it', async () => {
    const columns = [text('title'), text('team')]
    await rules.define('mine', { columns, access: 'owner' })
    await rules.define('ours', {
      columns,
      access: { read: [{ role: '*', where: { team: '$user.team' } }] },
    })
    const user = await rules.userWith()
    // Learns the keys of tokens.
    expect((await user.call('GET mine')).status).toBe(200)
    rules.issuer.status = 503
    try {
      expect((await user.call('GET ours')).status).toBe(503)
      expect((await user.call('GET mine')).status).toBe(200)
    } finally {
      rules.issuer.status = null
    }
    expect((await user.call('GET ours')).status).toBe(200)
  })
})
