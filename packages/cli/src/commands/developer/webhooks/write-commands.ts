import type { NewWebhook, WebhookChange } from '@surehook/client'
import { changeOperations } from '@surehook/contracts/events'
import { durationOf } from '../../../lib/wait-for.ts'
import { showDone } from '../../../output/shown.ts'
import { tenantCommand } from '../../../tenant/tenant-command.ts'
import { fieldOptions, fieldsOf } from './fields.ts'
import { secretOptions, secretVariables, shownSecret, signingSecret } from './secret.ts'
import { showWebhook } from './show-webhook.ts'

const madeSecret =
  'Without --secret-file and SUREHOOK_WEBHOOK_SECRET the command makes a signing secret. It shows it this once.'

export const webhookWriteCommands = [
  tenantCommand({
    name: 'webhooks create',
    summary: 'Create a webhook for the changes of a table',
    details: madeSecret,
    examples: [
      'webhooks create --table orders --to https://shop.example.com/hook',
      `webhooks create --table orders --events INSERT --filter '{"status":"paid"}' --to https://shop.example.com/hook`,
    ],
    options: { ...fieldOptions, ...secretOptions },
    variables: secretVariables,
    async act(call) {
      const { surehook, request, values, env, now } = call
      const secret = signingSecret(values['secret-file'], env)
      const usual = { events: [...changeOperations], secret: secret.secret }
      const input = { ...usual, ...(await fieldsOf(values, call)) } as unknown as NewWebhook
      const webhook = await surehook.webhooks.create(input, request)
      const isNew = secret.isNew && input.secret === secret.secret
      return showWebhook(webhook, now(), shownSecret({ ...secret, isNew }))
    },
  }),
  tenantCommand({
    name: 'webhooks update',
    summary: 'Change a webhook',
    details: 'Only the fields that you give change.',
    examples: [
      'webhooks update <webhook> --to https://shop.example.com/new-hook',
      'webhooks update <webhook> --filter null',
    ],
    options: fieldOptions,
    positionals: ['webhook'],
    async act(call) {
      const { surehook, request, words, values, now } = call
      const change = (await fieldsOf(values, call)) as WebhookChange
      return showWebhook(await surehook.webhooks.update(words.webhook, change, request), now())
    },
  }),
  tenantCommand({
    name: 'webhooks rotate-secret',
    summary: 'Replace the signing secret',
    details: `Deliveries are signed with both secrets for --overlap. ${madeSecret}`,
    examples: ['webhooks rotate-secret <webhook> --overlap 1h'],
    options: {
      overlap: {
        type: 'string',
        value: 'duration',
        default: '24h',
        help: 'how long the replaced secret signs too',
      },
      ...secretOptions,
    },
    variables: secretVariables,
    positionals: ['webhook'],
    async act({ surehook, request, words, values, env, now }) {
      const secretOverlap = Math.round(durationOf('overlap', values.overlap) / 1_000)
      const secret = signingSecret(values['secret-file'], env)
      const change = { secret: secret.secret, secretOverlap }
      const webhook = await surehook.webhooks.rotateSecret(words.webhook, change, request)
      return showWebhook(webhook, now(), shownSecret(secret))
    },
  }),
  activation('webhooks deactivate', 'Stop a webhook without deleting it', false),
  activation('webhooks activate', 'Start a webhook again', true),
]

function activation(name: string, summary: string, active: boolean) {
  return tenantCommand({
    name,
    summary,
    options: {},
    positionals: ['webhook'],
    async act({ surehook, request, words: { webhook } }) {
      const changed = await surehook.webhooks.update(webhook, { active }, request)
      return showDone(`webhook ${webhook} is ${changed.active ? 'active' : 'inactive'}`, changed)
    },
  })
}
