import { describe, expect, it } from '@jest/globals'
import { choiceOf, spanOf, withChoice } from './span.ts'

const now = new Date('2026-11-25T12:00:00Z')
const own = { within: 'own', from: '2026-11-25T10:00:00Z', until: '2026-11-25T11:00:00Z' }

describe('the chosen span', () => {
  it('is the last hour until somebody chooses', () => {
    expect(choiceOf(new URLSearchParams('within=soon')).within).toBe('1h')
    expect(spanOf(choiceOf(new URLSearchParams()), now).span).toEqual({
      from: '2026-11-25T11:00:00.000Z',
    })
  })

  it('is between two times, and ends now unless the second is given', () => {
    expect(spanOf(own, now).span).toEqual({
      from: '2026-11-25T10:00:00.000Z',
      until: '2026-11-25T11:00:00.000Z',
    })
    expect(spanOf({ ...own, until: '' }, now).span).not.toHaveProperty('until')
  })

  it.each([
    [{ ...own, from: '' }, 'from'],
    [{ ...own, until: 'later' }, 'until'],
    [{ ...own, until: own.from }, 'until'],
  ])('names the time that is wrong in %j', (choice, field) => {
    const { span, violations } = spanOf(choice, now)
    expect(span).toBeNull()
    expect(violations).toMatchObject([{ field }])
  })

  it('lives in the URL, without what is empty', () => {
    const params = withChoice(new URLSearchParams('within=own&from=a'), { from: '', until: 'b' })
    expect(params.toString()).toBe('within=own&until=b')
  })
})
