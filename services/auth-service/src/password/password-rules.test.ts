import { describe, expect, it } from '@jest/globals'
import { createPasswordRules, passwordFaults } from './password-rules.ts'

const email = 'margaret.hamilton@example.com'
const faultsOf = (password: string, minLength = 8) =>
  passwordFaults({ field: 'password', password, email }, { minLength }).map(
    ({ message }) => message,
  )

const line = ['shop/master', '198.51.100.0/24'] as const
const atOnce = { run: <T>({ work }: { work: () => Promise<T> }) => work() }
const notAsked = { score: () => Promise.reject(new Error('nobody wants a score')) }

const tooShort = 'must have at least 8 characters'
const isEmail = 'must not be the e-mail address or a part of it'
const isCommon = 'must not be one of the most common passwords'

describe('the password rules', () => {
  it.each([
    ['', [tooShort]],
    ['a1b2c3d', [tooShort]],
    ['example', [tooShort]],
    ['Hamilton', [isEmail]],
    [email, [isEmail]],
    [email.toUpperCase(), [isEmail]],
    ['margaret.hamilton', [isEmail]],
    ['password', [isCommon]],
    ['PassWord1', [isCommon]],
    ['12345678', [isCommon]],
    ['x'.repeat(129), ['must have at most 128 characters']],
    ['valid-but-\ud800', ['must be valid text']],
  ])('refuse %j', (password, messages) => {
    expect(faultsOf(password)).toEqual(messages)
  })

  it.each(['Correct-Horse-7', 'Hamilton-Apollo-11', '🦊🦊🦊🦊🦊🦊🦊🦊', 'x'.repeat(128)])(
    'take %j',
    (password) => expect(faultsOf(password)).toEqual([]),
  )

  it('count characters, not bytes or halves of them', () => {
    expect(faultsOf('🦊🦊🦊🦊')).toEqual([tooShort])
    expect(faultsOf('🦊'.repeat(128))).toEqual([])
  })

  it('count the characters of the normalised form', () => {
    expect(faultsOf('é'.normalize('NFD').repeat(7))).toEqual([tooShort])
    expect(faultsOf('é'.normalize('NFD').repeat(128))).toEqual([])
    expect(faultsOf('contraseña'.normalize('NFD'))).toEqual([isCommon])
  })

  it("apply the environment's minimum length", () => {
    expect(faultsOf('Correct-Horse-7', 20)).toEqual(['must have at least 20 characters'])
  })

  it("apply the environment's minimum score in addition to every other rule", async () => {
    const asked: (readonly string[])[] = []
    const score = async ({ about }: { about: readonly string[] }) => {
      asked.push(about)
      return 2
    }
    const isBreached = async () => false
    const rules = createPasswordRules({ isBreached, strength: { score }, queue: atOnce })
    const given = { field: 'password', email, names: ['Margaret', ''] } as const
    const check = async (password: string, minScore: number) => {
      const settings = { minLength: 8, minScore, breachCheck: false }
      return (await rules.faults({ ...given, password }, settings, line)).map((f) => f.message)
    }
    const isGuessable = 'is too easy to guess: its strength is 2 of 4, and must be at least 3'
    expect(await check('Correct-Horse-7', 0)).toEqual([])
    expect(asked).toEqual([])
    expect(await check('Correct-Horse-7', 2)).toEqual([])
    expect(await check('Correct-Horse-7', 3)).toEqual([isGuessable])
    expect(await check('password', 3)).toEqual([isCommon, isGuessable])
    expect(asked[0]).toEqual([email, 'margaret', 'hamilton', 'example', 'com', 'Margaret'])
  })

  it('ask about breaches only when wanted and no other rule is broken', async () => {
    const asked: string[] = []
    const isBreached = async (password: string) => {
      asked.push(password)
      return password.startsWith('Known')
    }
    const rules = createPasswordRules({ isBreached, strength: notAsked, queue: atOnce })
    const given = { field: 'newPassword', email } as const
    const check = (password: string, breachCheck: boolean) =>
      rules.faults({ ...given, password }, { minLength: 8, minScore: 0, breachCheck }, line)
    expect(await check('Known-to-them', false)).toEqual([])
    expect(await check('short', true)).toEqual([
      { field: 'newPassword', message: tooShort, rule: 'too_short' },
    ])
    expect(asked).toEqual([])
    expect(await check('Unknown-to-them', true)).toEqual([])
    expect(await check('Known-to-them', true)).toEqual([
      { field: 'newPassword', message: 'is known from a data breach', rule: 'breached' },
    ])
  })
})
