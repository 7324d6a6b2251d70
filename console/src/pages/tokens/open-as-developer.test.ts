import { expect, it } from '@jest/globals'
import { testReceiverIn } from '../../api/test-receiver.ts'
import { environmentToOpen } from './open-as-developer.ts'

it.each([
  [null, ['dev', 'master'], 'master'],
  [null, ['dev', 'test'], 'dev'],
  [['test', 'dev'], ['dev', 'master', 'test'], 'test'],
  [null, [], undefined],
])('a token for %j of %j opens %s', (environments, known, expected) => {
  expect(environmentToOpen({ environments }, known)).toBe(expected)
})

it.each([
  [{ testReceiver: 'https://localhost:9444/' }, 'https://localhost:9444/'],
  [{ testReceiver: null }, null],
  [{}, null],
  ['', null],
  [null, null],
])('%j names the test receiver %j', (settings, expected) => {
  expect(testReceiverIn(settings)).toBe(expected)
})
