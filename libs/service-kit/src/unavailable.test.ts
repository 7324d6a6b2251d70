import { expect, it } from '@jest/globals'
import { AppError } from './errors.ts'
import { toUnavailable } from './unavailable.ts'

const withCode = (code: string, message = '') => Object.assign(new Error(message), { code })

it.each([
  withCode('ECONNREFUSED'),
  withCode('57P01', 'terminating connection due to administrator command'),
  withCode('08006'),
  withCode('CERT_HAS_EXPIRED', 'certificate has expired'),
  withCode('53300', 'too many clients'),
  withCode('57014', 'canceling statement due to statement timeout'),
  new Error('timeout exceeded when trying to connect'),
  new Error('Connection terminated unexpectedly'),
  new AggregateError([withCode('ECONNREFUSED')], ''),
  Object.assign(new Error('LOADING Redis is loading the dataset in memory'), {
    name: 'SimpleError',
  }),
  Object.assign(new Error("OOM command not allowed when used memory > 'maxmemory'."), {
    name: 'SimpleError',
  }),
  Object.assign(new Error("READONLY You can't write against a read only replica."), {
    name: 'SimpleError',
  }),
])('%s means that a dependency is unreachable', (err) => {
  expect(toUnavailable(err)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause: err })
})

it.each([
  withCode('23505', 'duplicate key'),
  withCode('42P01', 'relation does not exist'),
  new TypeError('x is not a function'),
  new AppError('NOT_FOUND'),
  'ECONNREFUSED',
  null,
])('%s is another kind of error', (err) => expect(toUnavailable(err)).toBeNull())
