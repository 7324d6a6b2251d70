import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { jsonTokens, prettyJson, visibleText } from './json-tokens.ts'

it('tells keys, strings, numbers and literals apart', () => {
  const kinds = jsonTokens('{"a": "b\\"c", "n": -1.5e3, "t": true}')
  expect(kinds.filter(({ kind }) => kind !== 'plain')).toEqual([
    { kind: 'key', text: '"a"' },
    { kind: 'string', text: '"b\\"c"' },
    { kind: 'key', text: '"n"' },
    { kind: 'number', text: '-1.5e3' },
    { kind: 'key', text: '"t"' },
    { kind: 'literal', text: 'true' },
  ])
})

it('loses no character of any text', () => {
  const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.json())
  fc.assert(
    fc.property(anyText, (text) => {
      expect(
        jsonTokens(text)
          .map((token) => token.text)
          .join(''),
      ).toBe(text)
    }),
  )
})

it('indents JSON and leaves other text alone', () => {
  expect(prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}')
  expect(prettyJson('<html>')).toBe('<html>')
})

it('shows characters that would hide others', () => {
  expect(visibleText('"\u202Etxt.exe\u0000"\n\t')).toBe('"\\u202etxt.exe\\u0000"\n\t')
})
