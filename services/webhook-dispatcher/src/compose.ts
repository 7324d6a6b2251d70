import assert from 'node:assert/strict'
import {
  deliveriesTopic,
  pausedTopic,
  retryTopic,
  subscriptionsTopic,
  topicTable,
} from '@surehook/contracts'
import { openEventCodec } from '@surehook/contracts/codec'
import { orAborted } from '@surehook/service-kit/bounded'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { openInternalServer } from '@surehook/service-kit/http/internal-server'
import { createKafka } from '@surehook/service-kit/kafka/client'
import { refuseInvalid } from '@surehook/service-kit/kafka/invalid-messages'
import { openProducer } from '@surehook/service-kit/kafka/producer'
import { openTopicView } from '@surehook/service-kit/kafka/topic-view'
import { ensureTopics } from '@surehook/service-kit/kafka/topics'
import { WindowedConsumer } from '@surehook/service-kit/kafka/windowed-consumer'
import type { Service } from '@surehook/service-kit/lifecycle'
import { retryUntilReady } from '@surehook/service-kit/lifecycle'
import type { Logger } from '@surehook/service-kit/log'
import { createMetrics } from '@surehook/service-kit/metrics'
import { openRedis } from '@surehook/service-kit/redis/client'
import { AddressGuard } from './attempt/address-guard.ts'
import { Attempts } from './attempt/attempts.ts'
import { Poster } from './attempt/post.ts'
import type { Config } from './config.ts'
import { Dispatcher } from './dispatch/dispatcher.ts'
import { drained } from './dispatch/drained.ts'
import { CircuitStore } from './endpoint/circuit-store.ts'
import { dispatcherMetrics, registerGauges } from './metrics.ts'
import { Moves } from './moves/moves.ts'
import { Subscriptions } from './subscriptions/subscriptions.ts'

const groupId = 'webhook-dispatcher'
/** A rebalance waits so long at most for attempts in flight; slower ones may be repeated elsewhere. */
const handOverMs = 2_000
/** Far more than a matcher repeats after a crash: it commits after each batch. */
const lookBackMessages = 5_000

/** The only file that constructs things. What opens last closes first. */
export async function compose(config: Config, log: Logger, signal: AbortSignal): Promise<Service> {
  await using opening = new AsyncDisposableStack()
  const registry = createMetrics('webhook-dispatcher')
  const metrics = dispatcherMetrics(registry)
  const internal = opening.use(
    await openInternalServer({ ...config.internal, metrics: registry, log }),
  )
  const wait = <T>(name: string, fn: () => Promise<T>) => retryUntilReady(name, fn, { log, signal })

  const redis = opening.adopt(
    await wait('redis', () => openRedis({ url: config.redisUrl, log, signal })),
    (client) => client.destroy(),
  )
  const kafka = createKafka({ ...config.kafka, log })
  const delayNames = config.delays.map(({ name }) => name)
  await wait('kafka', () =>
    ensureTopics(kafka, topicTable(delayNames), {
      mainPartitions: config.kafka.partitions,
      replicationFactor: config.kafka.replicationFactor,
      log,
      signal,
    }),
  )
  const codec = await wait('schema registry', () =>
    openEventCodec({ registryUrl: config.registryUrl }),
  )
  const producer = opening.use(await wait('kafka', () => openProducer(kafka, { log })))
  const poster = opening.use(
    new Poster({
      guard: new AddressGuard(config.attempt.allowedNetworks),
      extraCa: config.attempt.extraCa,
      timeoutMs: config.attempt.timeoutMs,
      connectionsPerOrigin: config.attempt.connectionsPerOrigin,
    }),
  )

  const secretBox = createSecretBox(config.encryptionKey)
  const subscriptions = new Subscriptions(secretBox, {
    onChange: (id) => dispatcher.subscriptionChanged(id),
    log,
  })
  const onFault = (err: unknown) => log.error({ err }, 'delivery.fault')
  const dispatcher: Dispatcher = new Dispatcher({
    codec,
    metrics,
    log,
    refuse: (message, reason) =>
      refuseInvalid(producer, codec, {
        message: { ...message, offset: String(message.offset) },
        topic: deliveriesTopic,
        partition: message.partition,
        reason: `${message.topic}: ${reason}`,
        refusedBy: groupId,
      }),
    desk: {
      circuit: {
        ...config.circuit,
        store: new CircuitStore(redis, { threshold: config.circuit.threshold, log }),
      },
      limits: config.limits,
      window: config.window,
      attempts: new Attempts({ poster, delays: config.delays, metrics, log }),
      moves: new Moves({ producer, codec }),
      subscriptions,
      subscriptionsCurrent: (lease) => view.barrier(lease),
      reader: {
        seek: (...at) => consumer.seek(...at),
        pause: (...at) => consumer.pause(...at),
        resume: (...at) => consumer.resume(...at),
      },
      metrics,
      onFault,
    },
  })
  opening.use(dispatcher)

  const view = opening.use(
    await wait('subscriptions', () =>
      openTopicView({
        kafka,
        codec,
        clientId: config.kafka.clientId,
        topics: [subscriptionsTopic],
        apply: (_topic, key, value) =>
          subscriptions.apply(key, value as Parameters<Subscriptions['apply']>[1]),
        log,
      }),
    ),
  )
  const retryTopics = [...new Set(delayNames.map(retryTopic))]
  const consumer = new WindowedConsumer({
    kafka,
    groupId,
    topics: [deliveriesTopic, ...retryTopics, pausedTopic],
    window: config.window,
    commitIntervalMs: 10,
    handOverMs,
    lookBack: { topics: [deliveriesTopic, ...retryTopics], messages: lookBackMessages },
    handle: (message) => dispatcher.handle(message),
    onAssigned: (partition, lanes) => dispatcher.assigned(partition, lanes),
    onRevoked: (partition) => dispatcher.revoked(partition),
    onRead: (lane) => dispatcher.afterRead(lane),
    onFinishedBefore: (message) => dispatcher.finishedBefore(message),
    onHandOver: (handingOver) => dispatcher.handOver(handingOver),
    inFlight: () => dispatcher.inFlight,
    log,
  })
  opening.use(consumer)
  opening.defer(async () => {
    consumer.stopReading()
    dispatcher.handOver(true)
    await drained(() => dispatcher.inFlight, { withinMs: config.attempt.timeoutMs + 2_000 })
  })

  const resources = opening.move()
  return {
    async start(stopping) {
      await wait('subscriptions', () => orAborted(view.ready, stopping))
      await wait('kafka', () => orAborted(consumer.start(), stopping))
      registerGauges(registry, {
        inFlight: () => dispatcher.inFlight,
        parked: () => dispatcher.parked,
        windowOpen: () => consumer.open,
        openCircuits: () => dispatcher.openCircuits,
      })
      internal.setChecks({
        kafka: () => assert(consumer.healthy && producer.healthy, 'not connected to Kafka'),
        subscriptions: () => assert(view.healthy, 'the view of subscriptions is not current'),
        redis: async () => void (await redis.ping()),
      })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
