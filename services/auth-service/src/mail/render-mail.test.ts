import { describe, expect, it } from '@jest/globals'
import { defaultAuthSettings } from '@surehook/contracts/http/admin/auth-settings'
import { parseMailAddress, renderMail } from './render-mail.ts'

const from = { name: 'Surehook', address: 'no-reply@example.com' }
const content = { template: 'verification', to: 'a@b.example', code: '012345' } as const
const render = (change: object = {}, template: 'verification' | 'recovery' = 'verification') =>
  renderMail(
    { ...content, template, validMs: 3_599_000 },
    { ...defaultAuthSettings.mail, ...change },
    from,
  )

describe('renderMail', () => {
  it('shows the code once in text and once in HTML, and how long it is valid', () => {
    const { text, html, to } = render()
    expect(to).toBe('a@b.example')
    expect(text.match(/\d{6}/g)).toEqual(['012345'])
    expect(html.match(/\b012345\b/g)).toEqual(['012345'])
    expect(text).toContain('60 minutes')
    expect(html).toContain('<html lang="en">')
  })

  it('differs between purposes', () => {
    expect(render().subject).not.toBe(render({}, 'recovery').subject)
    expect(render().text).not.toBe(render({}, 'recovery').text)
  })

  it('speaks the language of the environment', () => {
    expect(render({ locale: 'de' }).subject).toBe('Bestätigen Sie Ihre E-Mail-Adresse')
    expect(render({ locale: 'de' }, 'recovery').html).toContain('<html lang="de">')
  })

  it('takes sender and subjects from the environment, else from the installation', () => {
    expect(render().from).toEqual(from)
    expect(render({ senderName: 'Shop', recoverySubject: 'Forgot?' }, 'recovery')).toMatchObject({
      from: { name: 'Shop', address: 'no-reply@example.com' },
      subject: 'Forgot?',
    })
    expect(render({ recoverySubject: 'Forgot?' }).subject).toBe('Confirm your e-mail address')
  })

  it('lets no name become markup', () => {
    const { html, text } = render({ senderName: '<script>"Tom" & \'Co\'</script>' })
    expect(html).not.toContain('<script')
    expect(html).toContain('&lt;script&gt;&quot;Tom&quot; &amp; &#39;Co&#39;&lt;/script&gt;')
    expect(text).toContain('<script>')
  })
})

describe('parseMailAddress', () => {
  it.each([
    ['a@b.example', '', 'a@b.example'],
    ['Shop <a@b.example>', 'Shop', 'a@b.example'],
    ['"Shop, Inc." <a@b.example>', 'Shop, Inc.', 'a@b.example'],
    ['<a@b.example>', '', 'a@b.example'],
  ])('reads %s', (text, name, address) => {
    expect(parseMailAddress(text)).toEqual({ name, address })
  })
})
