import { existsSync, readFileSync } from 'node:fs'
import { reasonOf } from '@surehook/service-kit/errors'
import { Failure, type OptionSpecs, UsageError } from '../cli/command.ts'
import { checkedUrl, type Platform } from '../lib/platform-client.ts'
import { demoCertificate, findRunningSystem } from '../lib/running-system.ts'
import { type DemoReceiver, openDemoReceiver } from './demo-receiver.ts'

/** Options of commands that receive webhooks in their own process. */
export const receiverOptions = {
  receiver: {
    type: 'string',
    value: 'url',
    help: 'the https URL that reaches this process',
  },
  certificate: { type: 'string', value: 'file', help: "PEM of the receiver's certificate" },
  key: { type: 'string', value: 'file', help: 'PEM of its key' },
} as const satisfies OptionSpecs

export type ReceiverValues = Readonly<Record<keyof typeof receiverOptions, string | undefined>>

/** Address of the webhook receiver: an https URL of this process, with its certificate files. */
export type ReceiverAddress = { url: string; certificate: string; key: string }

/** The address in the options, or one that the system of this checkout trusts. */
export function receiverAddress(
  { receiver, certificate, key }: ReceiverValues,
  platform: Platform,
): ReceiverAddress {
  if (receiver === undefined) return localReceiver(platform)
  if (certificate === undefined || key === undefined) {
    throw new UsageError('--receiver needs --certificate and --key')
  }
  const url = checkedUrl(receiver)
  if (!url.startsWith('https:')) throw new UsageError('--receiver: webhooks go to https only')
  return { url, certificate, key }
}

/** The system that runs from this checkout trusts a certificate in the checkout. */
function localReceiver({ baseUrl }: Platform): ReceiverAddress {
  const system = findRunningSystem()
  if (system?.baseUrl === baseUrl && existsSync(demoCertificate.key)) {
    return { url: `https://${system.receiverHost ?? 'localhost'}:0`, ...demoCertificate }
  }
  throw new UsageError(
    'nothing would be delivered: name a receiver with --receiver, --certificate and --key',
  )
}

export function openReceiverAt({ url, certificate, key }: ReceiverAddress): Promise<DemoReceiver> {
  return openDemoReceiver(new URL(url), { key: pemIn(key), cert: pemIn(certificate) })
}

function pemIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (err) {
    throw new Failure(`${file}: ${reasonOf(err)}`)
  }
}
