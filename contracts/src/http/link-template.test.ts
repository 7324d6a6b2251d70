import { describe, expect, it } from '@jest/globals'
import { fillLink, linkTemplateFault } from './link-template.ts'

describe('the template of a link', () => {
  it.each([
    'https://app.example/confirm?email={email}&code={code}',
    'https://app.example:8443/#/reset/{code}',
    'https://app.example?c={code}',
    'http://localhost:3000/confirm/{code}',
    'http://127.0.0.1/confirm/{code}',
    'http://[::1]:3000/{code}',
  ])('may be %s', (text) => expect(linkTemplateFault(text)).toBeNull())

  it.each([
    ['https://app.example/confirm', 'must contain {code}'],
    ['http://app.example/{code}', 'must use https'],
    ['http://localhost.example/{code}', 'must use https'],
    ['https://{code}.example/', 'after the host'],
    ['https://app.example{code}', 'after the host'],
    ['https://app.example:{code}/', 'must be an absolute URL'],
    ['https://app.example/{code}/{name}', 'no other placeholders'],
    ['https://ada:secret@app.example/{code}', 'must be an absolute URL'],
    ['https://app.example\\@evil.example/{code}', 'must be an absolute URL'],
    ['javascript:alert({code})', 'must be an absolute URL'],
    ['/confirm/{code}', 'must be an absolute URL'],
    ['https://app.example/ {code}', 'must be an absolute URL'],
    ['https://app.example/\n{code}', 'must be an absolute URL'],
    [`https://app.example/${'x'.repeat(2000)}{code}`, 'at most 2000 characters'],
  ])('may not be %j', (text, fault) => expect(linkTemplateFault(text)).toContain(fault))

  it('takes values that keep to their place', () => {
    const template = 'https://app.example/confirm?email={email}&code={code}#{code}'
    expect(fillLink(template, { code: '012345', email: "a+b&c='d@example.com" })).toBe(
      "https://app.example/confirm?email=a%2Bb%26c%3D'd%40example.com&code=012345#012345",
    )
  })
})
