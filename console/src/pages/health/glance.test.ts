import { expect, it } from '@jest/globals'
import type { InstallationHealth } from '@surehook/client'
import { deadLetterText, glanceOf } from './glance.ts'

const nothing: InstallationHealth = {
  at: '2026-01-01T12:00:00Z',
  findings: [],
  ...{ groups: null, slots: null, slotLimitBytes: null, circuits: null, deliveries: null },
}

it('shows a dash for what was not read', () => {
  expect(glanceOf(nothing).map(([, value]) => value)).toEqual(Array(5).fill('–'))
})

it('counts the open circuits that are not listed too', () => {
  const circuits = { open: [], leftOut: 3, isComplete: true }
  expect(glanceOf({ ...nothing, circuits })[0]).toEqual(['Open circuits', '3'])
})

it('shows dead letters as a share of what ended', () => {
  const attempts = 10
  expect(deadLetterText({ attempts, delivered: 3, deadLetter: 1 })).toBe('1 (25%)')
  expect(deadLetterText({ attempts, delivered: 0, deadLetter: 0 })).toBe('0')
})
