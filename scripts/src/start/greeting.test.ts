import { expect, it } from '@jest/globals'
import { greeting } from './greeting.ts'

const facts = { baseUrl: 'http://localhost:8080', adminToken: 'token' }

it("shows the system's address, and the risks of one broker", () => {
  const said = greeting(facts, { seconds: '3.0', isOwnBroker: true })
  expect(said).toContain('Surehook is ready (3.0 s)')
  expect(said).toContain('http://localhost:8080/console/ (npx surehook console --operator')
  expect(said).toMatch(/\nKafka is one broker here: .*not a power cut.*\nCtrl-C stops everything/)
})

it('names the test receiver where there is one', () => {
  const testReceiver = 'https://localhost:9444/'
  const started = { seconds: '3.0', isOwnBroker: false }
  expect(greeting(facts, { ...started, testReceiver })).toContain(`test receiver ${testReceiver}`)
  expect(greeting(facts, started)).not.toContain('test receiver')
})

it('does not mention a Kafka that it did not start', () => {
  expect(greeting(facts, { seconds: '3.0', isOwnBroker: false })).not.toContain('broker')
})
