import { describe, expect, it } from '@jest/globals'
import { pickLocale } from './pick-locale.ts'

describe('the language of mails', () => {
  it.each([
    ['de', 'de'],
    ['fr-CA', 'fr'],
    ['ES-419', 'es'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['pt-BR, pt;q=0.9, es;q=0.5, en;q=0.4', 'es'],
    ['en;q=0.1, fr;q=0.8', 'fr'],
    ['de;q=0, en', 'en'],
    ['de; q=0.5 , fr ; q=0.6', 'fr'],
    ['*', null],
    ['de;q=nonsense', 'de'],
    ['den', null],
    ['', null],
    [',,;q=1', null],
    [undefined, null],
    [null, null],
    [`${'pt,'.repeat(20)}de`, null],
  ])('of %j is %j', (header, locale) => expect(pickLocale(header)).toBe(locale))
})
