import { expect, it } from '@jest/globals'
import { StatesPosition } from './states-position.ts'

it('starts where reading began, once the other slot has confirmed that position', () => {
  const position = new StatesPosition(100n)
  expect(position.published).toBe(null)
  position.confirmed(99n)
  expect(position.published).toBe(null)
  position.confirmed(100n)
  expect(position.published).toBe(100n)
})

it('is unknown after a state until the other slot has confirmed its commit', () => {
  const position = new StatesPosition(100n)
  position.confirmed(100n)
  position.passed()
  expect(position.published).toBe(null)
  position.confirmed(1_000n)
  expect(position.published).toBe(null)
  position.reached(200n)
  position.confirmed(199n)
  expect(position.published).toBe(null)
  position.confirmed(200n)
  expect(position.published).toBe(200n)
})

it('does not change while only other services commit', () => {
  const position = new StatesPosition(100n)
  position.confirmed(100n)
  position.reached(300n)
  expect(position.published).toBe(100n)
})

it('is never before the actual start of reading', () => {
  const position = new StatesPosition(100n)
  position.beganBefore(150n)
  position.confirmed(149n)
  expect(position.published).toBe(null)
  position.confirmed(150n)
  expect(position.published).toBe(150n)
})
