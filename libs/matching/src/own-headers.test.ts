import { expect, it } from '@jest/globals'
import { headerFaults } from '@surehook/contracts/http/webhooks/policy/own-headers'
import { headerNames } from './own-headers.ts'
import { signedHeaders, signingKeys } from './signed-headers.ts'

it('no header of a delivery may be a subscriber’s own', () => {
  const signable = { body: Buffer.from('{}'), eventId: 'e', webhookId: 'w' }
  const ours = signedHeaders({ ...signable, operation: 'INSERT' }, [signingKeys('s')], 1)
  const accepted = Object.keys(ours).filter((name) => headerFaults({ [name]: 'x' }).length === 0)
  expect(accepted).toEqual([])
})

it('names are sorted in whatever case they are', () => {
  expect(headerNames({ b: '', C: '', A: '', a1: '' })).toEqual(['A', 'a1', 'b', 'C'])
})
