import { expect, it } from '@jest/globals'
import { wantsFirstDelivery } from './show-first-delivery.ts'

it.each([
  ['a person', { env: {}, isInteractive: true }, true],
  [
    'a person who wants an empty system',
    { env: { SUREHOOK_DEMO: '0' }, isInteractive: true },
    false,
  ],
  ['CI', { env: { CI: 'true' }, isInteractive: true }, false],
  [
    'an operator with a database',
    { env: { DATABASE_URL: 'postgres://' }, isInteractive: true },
    false,
  ],
  ['a script or a test', { env: {}, isInteractive: false }, false],
])('%s', (_who, terminal, wants) => {
  expect(wantsFirstDelivery(terminal)).toBe(wants)
})
