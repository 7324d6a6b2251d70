import { expect, it } from '@jest/globals'
import kafkajs from 'kafkajs'
import * as surface from './surface.ts'

it('has the numbers of kafkajs', () => {
  expect(Object.keys(surface).length).toBeGreaterThan(0)
  expect(kafkajs).toMatchObject(surface)
})
