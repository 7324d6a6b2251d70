import { expect, it } from '@jest/globals'
import { ProjectTurns } from './project-turns.ts'

const jobs = (...projects: string[]) => projects.map((projectId) => ({ projectId }))

it('projects take turns, those without a turn first', () => {
  const turns = new ProjectTurns()
  const next = (...projects: string[]) => turns.next(jobs(...projects))?.projectId
  expect(next()).toBeUndefined()
  expect([next('a'), next('a', 'b'), next('a', 'b'), next('a', 'b')]).toEqual(['a', 'b', 'a', 'b'])
  expect(next('b', 'd', 'c', 'a')).toBe('d')
  expect(next('b', 'c', 'a')).toBe('c')
  expect(next('b', 'c', 'd', 'a')).toBe('a')
})

it('a project that ends a job has no sooner turn for its next one', () => {
  const turns = new ProjectTurns()
  const next = (...projects: string[]) => turns.next(jobs(...projects))?.projectId
  expect([next('a'), next('b')]).toEqual(['a', 'b'])
  // The job of a ended, and a has a new one.
  expect([next('a', 'b'), next('b'), next('a', 'b')]).toEqual(['a', 'b', 'a'])
  expect(next('a', 'b')).toBe('b')
})
