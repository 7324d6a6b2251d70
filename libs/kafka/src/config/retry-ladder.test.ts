import { expect, it } from '@jest/globals'
import { readEnv } from '@surehook/service-kit/config/config'
import * as z from 'zod'
import { kafkaEnv } from './kafka-env.ts'
import { retryTopicNames } from './retry-ladder.ts'

const { WEBHOOK_RETRY_DELAYS, WEBHOOK_RETRY_LADDER } = kafkaEnv
const Env = z.object({ WEBHOOK_RETRY_DELAYS, WEBHOOK_RETRY_LADDER })
const namesOf = (delays?: string, ladder?: string) =>
  retryTopicNames(readEnv(Env, { WEBHOOK_RETRY_DELAYS: delays, WEBHOOK_RETRY_LADDER: ladder }))

const usual = ['1s', '5s', '30s', '5m', '30m', '2h', '8h']

it.each([
  ['the default ladder', undefined, undefined, usual],
  ['the default ladder for an empty one', '', '', usual],
  [
    'the schedule too, when no ladder is set',
    '1s,10s',
    undefined,
    ['1s', '5s', '10s', ...usual.slice(2)],
  ],
  ['each delay once, ascending', '1s,1s', '5s, 1s, 1s', ['1s', '5s']],
])('is %s', (_what, delays, ladder, names) => {
  expect(namesOf(delays, ladder)).toEqual(names)
})

it('must have every delay of the schedule when it is set', () => {
  expect(() => namesOf('1s,10s,1m', '1s,60s')).toThrow(
    'WEBHOOK_RETRY_LADDER: must have 10s, 1m of WEBHOOK_RETRY_DELAYS',
  )
  expect(() => namesOf('1s', '1s,8d')).toThrow('WEBHOOK_RETRY_LADDER')
})
