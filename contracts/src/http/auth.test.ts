import { describe, expect, it } from '@jest/globals'
import { confirmSignup, Email } from './auth.ts'

describe('an e-mail address', () => {
  it('is trimmed and in lower case', () => {
    expect(Email.parse(' Ada.K@Example.COM ')).toBe('ada.k@example.com')
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
