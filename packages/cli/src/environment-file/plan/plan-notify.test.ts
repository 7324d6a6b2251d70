import { expect, it } from '@jest/globals'
import { ModelEnvironment } from '../../../test/support/model-environment.ts'
import { parseFile } from '../file/parse-file.ts'
import { wishesOf } from '../file/wishes.ts'
import { planLines, stepView } from '../show-plan.ts'
import { writeFile } from '../write-file.ts'
import { makePlan } from './plan.ts'

const secret = 'T0123456789/B0123456789/the-secret-of-the-chat'
const env = {
  OPS_CHAT: `https://hooks.slack.com/services/${secret}`,
  SHORT_CHAT: 'https://chat.example/hook',
  PLAIN_CHAT: 'http://chat.example/a-secret',
}
const keep = { prune: false, allowDataLoss: false }
const file = (text: string) => wishesOf(parseFile(`version: 2\nnotify: ${text}`, 'file'), env)
const both = file(
  '{ emails: [ops@example.com], chats: [{ url: "${OPS_CHAT}" }], digestInterval: 60 }',
)

function environmentOf(wishes: ReturnType<typeof file>): ModelEnvironment {
  const environment = new ModelEnvironment()
  environment.run(makePlan(wishes, environment.state, keep).steps)
  return environment
}

it('says who gets alerts, and shows no URL of a chat', () => {
  const plan = makePlan(both, new ModelEnvironment().state, keep)
  expect(planLines(plan)).toEqual([
    '~ notify settings',
    '    ~ emails: [] -> [ ops@example.com ]',
    '    ~ chats: [] -> [ { url: https://hooks.slack.com/…chat, kind: slack } ]',
    '    ~ digestInterval: 300 -> 60',
    '0 to create, 1 to change, 0 to delete.',
  ])
  expect(JSON.stringify(plan.steps.map(stepView))).not.toContain('the-secret')
  expect(plan.steps).toMatchObject([{ input: { chats: [{ url: env.OPS_CHAT, kind: 'slack' }] } }])
})

it('does nothing twice, and leaves the settings alone that no file names', () => {
  const environment = environmentOf(both)
  for (const wishes of [both, { roles: {} }]) {
    expect(makePlan(wishes, environment.state, keep).steps).toEqual([])
  }
})

it('gives a field that the file lacks its default', () => {
  const environment = environmentOf(both)
  const plan = makePlan(file('{ chats: [{ url: "${OPS_CHAT}" }] }'), environment.state, keep)
  expect(plan.steps).toMatchObject([{ input: { emails: [], digestInterval: 300 } }])
  expect(plan.steps).not.toMatchObject([{ input: { chats: expect.anything() } }])
})

it('writes the URL of a chat again whose end is not shown, and says so', () => {
  const short = file('{ chats: [{ url: "${SHORT_CHAT}" }] }')
  const plan = makePlan(short, environmentOf(short).state, keep)
  expect(planLines(plan)).toContain('    ~ chats: (hidden, too short to compare)')
  expect(plan.steps).toMatchObject([{ input: { chats: [{ url: env.SHORT_CHAT }] } }])
})

it('is written with a variable for each chat, and read again', () => {
  const environment = environmentOf(both)
  const { text, variables } = writeFile({ notify: environment.state.notify })
  expect(variables).toEqual(['SLACK_CHAT_URL'])
  const again = wishesOf(parseFile(text, 'exported'), { SLACK_CHAT_URL: env.OPS_CHAT })
  expect(makePlan(again, environment.state, keep).steps).toEqual([])
})

it.each([
  ['{ chats: [{ url: https://hooks.slack.com/services/secret }] }', 'must be a variable such as'],
  ['{ chats: [{ url: "${UNSET_CHAT}" }] }', 'the variable UNSET_CHAT is not set'],
  ['{ chats: [{ url: "${PLAIN_CHAT}" }] }', 'notify.chats[0].url: must use https'],
  ['{ emails: [a@b.example, A@b.example] }', 'each address once'],
  ['{ digestInterval: 9 }', 'notify.digestInterval'],
  ['{ mails: [] }', 'is no field of the file'],
])('refuses %s', (text, message) => {
  expect(() => file(text)).toThrow(message)
})
