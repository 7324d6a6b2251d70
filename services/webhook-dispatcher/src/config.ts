import { readFileSync } from 'node:fs'
import { messagingConfig } from '@surehook/kafka/config/kafka-connection'
import { kafkaEnv } from '@surehook/kafka/config/kafka-env'
import { retryLadderOf } from '@surehook/kafka/config/retry-ladder'
import { certificateEnv, certificateFiles } from '@surehook/service-kit/config/certificates'
import {
  durationBetween,
  encryptionKeyEnv,
  encryptionKeysOf,
  httpEnv,
  readEnv,
  redisEnv,
} from '@surehook/service-kit/config/config'
import { redisConnection } from '@surehook/service-kit/config/connections'
import { networkList } from '@surehook/service-kit/outbound/network-list'
import { tracingConfig, tracingEnv } from '@surehook/service-kit/telemetry/tracing/open-tracing'
import * as z from 'zod'

export const service = 'webhook-dispatcher'

const { INTERNAL_PORT, HOST, LOG_LEVEL } = httpEnv

export const Env = z.object({
  INTERNAL_PORT,
  HOST,
  LOG_LEVEL,
  ...kafkaEnv,
  ...tracingEnv,
  ...certificateEnv,
  ...redisEnv,
  ...encryptionKeyEnv,
  WEBHOOK_TIMEOUT: durationBetween('100ms', '60s').prefault('5s'),
  WEBHOOK_CIRCUIT_COOLDOWN: durationBetween('100ms', '24h').prefault('2m'),
  WEBHOOK_ALLOWED_NETWORKS: networkList,
  WEBHOOK_ENDPOINT_CONCURRENCY: z.coerce.number().int().min(1).max(1_000).default(32),
  WEBHOOK_CONCURRENCY: z.coerce.number().int().min(1).max(100_000).default(1_024),
  WEBHOOK_WINDOW: z.coerce.number().int().min(1).max(100_000).default(1_000),
})

/** The product promises "5 consecutive failures", so this is no setting. */
const circuitThreshold = 5
/** A failure count must outlive the longest retry delay, or failures would never be consecutive. */
const leastForgetAfterMs = 10 * 60_000
/** A group member's session lasts 10 s, and it must have rejoined by then. */
const longestDrainMs = 8_000
const leastGraceMs = 10_000
const windowBytes = 4 * 1024 * 1024
/** About 10 MB. An installation with fewer subscriptions reads no state twice. */
const newestStates: number = 10_000

export type Config = ReturnType<typeof readConfig>

/** Reads the environment; no other code does. A bad value throws before anything opens. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const read = readEnv(Env, env)
  return Object.freeze({
    logLevel: read.LOG_LEVEL,
    tracing: tracingConfig(read, service),
    certificates: certificateFiles(read),
    // An attempt in flight may take its whole time, and its outcome must still be recorded.
    graceMs: Math.max(leastGraceMs, read.WEBHOOK_TIMEOUT + 5_000),
    internal: { host: read.HOST, port: read.INTERNAL_PORT },
    ...messagingConfig(read, service),
    redis: redisConnection(read),
    encryptionKeys: encryptionKeysOf(read),
    delays: read.WEBHOOK_RETRY_DELAYS,
    ladder: retryLadderOf(read),
    attempt: {
      timeoutMs: read.WEBHOOK_TIMEOUT,
      // No attempt ever waits for a connection.
      connectionsPerOrigin: read.WEBHOOK_CONCURRENCY,
      // Of receivers that get attempts now, and of as many that got some before.
      maxPools: 2 * read.WEBHOOK_CONCURRENCY,
      allowedNetworks: read.WEBHOOK_ALLOWED_NETWORKS,
      extraCa: read.WEBHOOK_EXTRA_CA_FILE ? [readFileSync(read.WEBHOOK_EXTRA_CA_FILE, 'utf8')] : [],
    },
    circuit: circuitOf(read),
    drainMs: Math.min(read.WEBHOOK_TIMEOUT + 1_000, longestDrainMs),
    endpointConcurrency: read.WEBHOOK_ENDPOINT_CONCURRENCY,
    concurrency: read.WEBHOOK_CONCURRENCY,
    newestStates,
    window: { messages: read.WEBHOOK_WINDOW, bytes: windowBytes },
  })
}

function circuitOf(read: z.infer<typeof Env>) {
  const cooldownMs = read.WEBHOOK_CIRCUIT_COOLDOWN
  const delaysMs = retryLadderOf(read).map(({ ms }) => ms)
  const forgetAfterMs = Math.max(
    leastForgetAfterMs,
    2 * cooldownMs,
    ...delaysMs.map((ms) => 2 * ms),
  )
  return { threshold: circuitThreshold, cooldownMs, forgetAfterMs }
}
