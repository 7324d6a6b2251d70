import { expect, it } from '@jest/globals'
import { ValidationError } from '@surehook/client'
import { faultOf, violationOf } from './faults.ts'

it('shows the request of a failed call apart from its message', () => {
  const err = new ValidationError(
    'The request is invalid: url must be https (status 400, request r-1)',
    {
      code: 'VALIDATION_ERROR',
      status: 400,
      requestId: 'r-1',
      violations: [{ field: 'url', message: 'must be https' }],
    },
  )
  expect(faultOf(err)).toEqual({
    message: 'The request is invalid',
    requestId: 'r-1',
    violations: [{ field: 'url', message: 'must be https' }],
  })
})

it('finds the violation of a field and of what it contains', () => {
  const violations = [
    { field: 'filter.status.eq', message: 'must be text' },
    { field: 'url', message: 'must be https' },
  ]
  expect(violationOf(violations, 'url')).toBe('must be https')
  expect(violationOf(violations, 'filter')).toBe('filter.status.eq must be text')
  expect(violationOf(violations, 'file')).toBeUndefined()
})
