import { describe, expect, it } from '@jest/globals'
import { defaultAuthSettings, mailLocales } from '@surehook/contracts/http/admin/auth-settings'
import { parseMailAddress, renderMail } from './render-mail.ts'
import type { MailTemplate } from './texts/mail-text.ts'

const from = { name: 'Surehook', address: 'no-reply@example.com' }
const content = {
  template: 'verification',
  to: 'a@b.example',
  code: '012345',
  locale: null,
} as const
const render = (
  change: object = {},
  template: MailTemplate = 'verification',
  locale: string | null = null,
) =>
  renderMail(
    { ...content, template, locale, validMs: 3_599_000 },
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

  it('speaks the language of the user, if it is shipped', () => {
    expect(render({ locale: 'de' }, 'recovery', 'fr').html).toContain('<html lang="fr">')
    expect(render({}, 'recovery', 'es').subject).toBe('Tu código para una contraseña nueva')
    expect(render({ locale: 'de' }, 'recovery', 'xx').html).toContain('<html lang="de">')
  })

  const templates = [
    'verification',
    'recovery',
    'password_changed',
    'account_locked',
    'token_reused',
  ] as const

  it.each(mailLocales)('says in %s each thing in words of its own', (locale) => {
    const texts = templates.map((template) => render({}, template, locale).text)
    const english = templates.map((template) => render({}, template).text)
    expect(new Set([...texts, ...english]).size).toBe(locale === 'en' ? 5 : 10)
    const named = templates.map((template) => render({ projectName: 'Shop 7' }, template, locale))
    for (const { subject, text } of named) {
      expect(subject).toMatch(/^Shop 7: \S/)
      expect(text).toContain('Shop 7')
    }
    for (const { text } of named.slice(2)) expect(text).not.toMatch(/\d{6}/)
  })

  it('has a link in the place of the code where the environment has a template', () => {
    const urls = {
      confirmUrl: 'https://shop.example/confirm?email={email}&code={code}',
      resetUrl: 'http://localhost:3000/reset#{code}',
    }
    const link = 'https://shop.example/confirm?email=a%40b.example&code=012345'
    const { text, html, subject } = render(urls)
    expect(text).toContain(`with this link you confirm your e-mail address:\n\n${link}\n\n`)
    expect(html).toContain(`<a href="${link.replace('&', '&amp;')}">`)
    expect(text.match(/012345/g)).toHaveLength(1)
    expect(subject).toBe('Confirm your e-mail address')
    const recovery = render(urls, 'recovery')
    expect(recovery.text).toContain('\n\nhttp://localhost:3000/reset#012345\n\n')
    expect(recovery.subject).toBe('Your link for a new password')
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
