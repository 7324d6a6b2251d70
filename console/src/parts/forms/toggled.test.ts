import { expect, it } from '@jest/globals'
import { toggled } from './toggled.ts'

it('chooses a value, and takes it back', () => {
  expect(toggled(['clerk'], 'admin')).toEqual(['clerk', 'admin'])
  expect(toggled(['clerk', 'admin'], 'clerk')).toEqual(['admin'])
})
