import { expect, it } from '@jest/globals'
import { greeting } from './greeting.ts'

const facts = { baseUrl: 'http://localhost:8080', adminToken: 'token' }

it('says where the system is, and what one broker does not survive', () => {
  const said = greeting(facts, { seconds: '3.0', isOwnBroker: true })
  expect(said).toContain('Surehook is ready (3.0 s)')
  expect(said).toMatch(/\nKafka is one broker here: .*not a power cut.*\nCtrl-C stops everything/)
})

it('says nothing of a Kafka that it did not start', () => {
  expect(greeting(facts, { seconds: '3.0', isOwnBroker: false })).not.toContain('broker')
})
