import { expect, it } from '@jest/globals'
import { greeting } from './greeting.ts'

const facts = { baseUrl: 'http://localhost:8080', adminToken: 'token' }
const report = { seconds: '3.0', isOwnBroker: true, testReceiver: 'https://localhost:9444/' }
const inCheckout = { ...report, isCheckout: true }

it("shows the system's address, the test receiver, and the risks of one broker", () => {
  const said = greeting(facts, inCheckout)
  expect(said).toContain('Surehook is ready (3.0 s)')
  expect(said).toContain('http://localhost:8080/console/ (npx surehook console --operator')
  expect(said).toContain('  npx surehook try ')
  expect(said).toContain('test receiver https://localhost:9444/ (')
  expect(said).toMatch(/\nKafka is one broker here: .*not a power cut.*\nCtrl-C stops everything/)
})

it('does not mention a Kafka that it did not start', () => {
  expect(greeting(facts, { ...inCheckout, isOwnBroker: false })).not.toContain('broker')
})

it('says in a container where the token is, because Docker keeps what it prints', () => {
  const said = greeting({ ...facts, adminToken: 'pat_secret' }, { ...report, isCheckout: false })
  expect(said).not.toContain('pat_secret')
  expect(said).toMatch(/admin token {3}docker exec \S+ cat \/data\/endpoints\.json\n/)
  expect(said).toMatch(/\n {2}docker exec \S+ surehook try /)
})
