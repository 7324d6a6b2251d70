import { describe, expect, it } from '@jest/globals'
import { confirmSignup, Email } from './auth.ts'

describe('an e-mail address', () => {
  it('is trimmed and in lower case', () => {
    expect(Email.parse(' Ada.K@Example.COM ')).toBe('ada.k@example.com')
  })

  it.each([
    ...["o'hara&sons/x!y=z%a#b$c*d?e^f{g}h~i`j|k+l-m_n@example.com", 'a@example.com'],
    ...['{code}@example.com', '-a-@example.com', 'ada@xn--80ak6aa92e.xn--p1ai', 'a@b.co'],
    ...['ada@3com.example', 'ada@1.2.example', `${'a'.repeat(64)}@example.com`],
    ...[`a@${'b'.repeat(63)}.example`, 'a@b--c.example'],
  ])('%s is one', (text) => {
    expect(Email.parse(text)).toBe(text)
  })

  it.each([
    ...['"ada"@example.com', '"a b"@example.com', 'ada(comment)@example.com', 'ada@(c)example.com'],
    ...[
      '.ada@example.com',
      'ada.@example.com',
      'a..b@example.com',
      '@example.com',
      'ada@',
      'a@b@c.de',
    ],
    ...['ada@example', 'ada@[127.0.0.1]', 'ada@127.0.0.1', 'ada@-a.example', 'ada@a-.example'],
    ...['ada@a..example', 'ada@.example', 'ada@example.', 'ada@exa_mple.com', 'ada@example.c'],
    ...[
      'ada@example.c-',
      'Ada <ada@example.com>',
      'a,b@example.com',
      'a;b@example.com',
      'a:b@c.de',
    ],
    ...[
      'a b@example.com',
      'a\\b@example.com',
      'a\r\nBcc: x@example.com',
      'ada@example.com\r\nBcc: x',
    ],
    ...['ada@exa\nmple.com', 'ada@example.com\0', `${'a'.repeat(65)}@example.com`],
    ...[`a@${'b'.repeat(64)}.example`, `a@${'b.'.repeat(126)}example`, 'ada@пример.рф'],
  ])('%j is refused', (text) => {
    expect(Email.safeParse(text).success).toBe(false)
  })

  // U+212A (Kelvin sign) becomes an ASCII `k` in lower case.
  it.each(['mi\u212Ae@example.com', 'mike@\u212Ala.example', '\u00e4da@example.com', 'ada'])(
    '%s is not one',
    (text) => {
      const { error } = Email.safeParse(text)
      expect(error?.issues).toMatchObject([{ code: 'invalid_format', format: 'email' }])
    },
  )
})

describe('the code of a confirmation', () => {
  it.each(['123456', '12345', '1234567', 'abcdef', '\uff11\uff12\uff13\uff14\uff15\uff16'])(
    '%s may be a wrong one',
    (code) => expect(confirmSignup.body.parse({ email: 'a@b.example', code }).code).toBe(code),
  )

  it.each([123456, null, undefined, '', 'x'.repeat(65)])('%j is not', (code) => {
    expect(confirmSignup.body.safeParse({ email: 'a@b.example', code }).success).toBe(false)
  })
})
