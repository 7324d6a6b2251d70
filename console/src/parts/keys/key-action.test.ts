import { describe, expect, it } from '@jest/globals'
import { isFindKey, listKeyOf } from './key-action.ts'

const pressed = (
  key: string,
  modifiers: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey', true>>,
) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...modifiers,
})
const free = { isTaken: false, isInList: false }

describe('the key that opens the palette', () => {
  it.each([
    ['Ctrl K elsewhere', pressed('k', { ctrlKey: true }), false, true],
    ['with caps lock', pressed('K', { ctrlKey: true }), false, true],
    ['⌘K on Apple', pressed('k', { metaKey: true }), true, true],
    [
      'Ctrl K on Apple, which deletes to the end of the line',
      pressed('k', { ctrlKey: true }),
      true,
      false,
    ],
    ['the Windows key', pressed('k', { metaKey: true }), false, false],
    ['a third modifier', pressed('k', { ctrlKey: true, altKey: true }), false, false],
    ['k alone', pressed('k', {}), false, false],
  ])('%s', (_name, event, isApple, expected) => {
    expect(isFindKey(event, isApple)).toBe(expected)
  })
})

describe('the keys of lists', () => {
  it.each([
    ['j', 'next'],
    ['k', 'previous'],
    ['/', 'search'],
    ['?', 'help'],
    ['x', undefined],
    ['ArrowDown', undefined],
  ])('%s means %s', (key, expected) => {
    expect(listKeyOf(pressed(key, {}), free)).toBe(expected)
  })

  it('has arrows in a list only, where they do not scroll', () => {
    const inList = { ...free, isInList: true }
    expect(listKeyOf(pressed('ArrowDown', {}), inList)).toBe('next')
    expect(listKeyOf(pressed('ArrowUp', {}), inList)).toBe('previous')
  })

  it('leaves typing and shortcuts of the browser alone', () => {
    expect(listKeyOf(pressed('j', {}), { isTaken: true, isInList: true })).toBeUndefined()
    for (const modifier of ['ctrlKey', 'metaKey', 'altKey'] as const) {
      expect(listKeyOf(pressed('j', { [modifier]: true }), free)).toBeUndefined()
    }
  })
})
