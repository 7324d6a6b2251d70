import { dispatcherGroup } from '@surehook/contracts/groups'
import { deliveriesTopic, pausedTopic } from '@surehook/contracts/topics'
import type { Messaging } from '@surehook/kafka/messaging'
import { refuseInvalid } from '@surehook/kafka/producer/invalid-messages'
import { WindowedConsumer } from '@surehook/kafka/windowed/windowed-consumer'
import { orAborted } from '@surehook/service-kit/bounded'
import { MemoryBudget } from '@surehook/service-kit/config/memory-budget'
import { retryUntilReady } from '@surehook/service-kit/lifecycle'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Tracer } from '@surehook/service-kit/telemetry/tracing/tracer'
import { Attempts } from '../attempt/attempts.ts'
import type { Poster } from '../attempt/http/post.ts'
import type { Config } from '../config.ts'
import { AttemptSlots } from '../endpoint/attempt-slots.ts'
import { CircuitEvents } from '../endpoint/circuit-events.ts'
import type { CircuitStore } from '../endpoint/circuit-store.ts'
import { CircuitWatch } from '../endpoint/circuit-watch.ts'
import type { DispatcherGauges, DispatcherMetrics } from '../metrics.ts'
import type { TextOpener } from '../subscriptions/secrets-opener.ts'
import {
  openSubscriptionsView,
  type SubscriptionsView,
} from '../subscriptions/subscriptions-view.ts'
import { Transitions } from '../transitions/transitions.ts'
import { Dispatcher } from './dispatcher.ts'
import { drained } from './drained.ts'
import { OwnLoad } from './own-load.ts'
import { retryTopicsToRead } from './retry-topics.ts'

/** A killed matcher repeats at most 2,000 changes of a partition: those of its last 250 ms. */
const lookBackMessages = 5_000
/** Per partition, over all topics: a member may get many partitions at once. */
const lookBackBytes = 8 * 1_048_576
const commitIntervalMs = 25
/** A start takes up to a millisecond of the event loop, and a TLS handshake one to three more. */
const startingMs = 2
/** The limit for all windows of the process. It is much more than healthy receivers need. */
const windowsBytes = 64 * 1024 * 1024
/** A retry that is due later stays on its topic. */
const aheadMs = 10_000
/**
 * A delivery that would wait longer for its endpoint moves to the paused topic, so that it does not
 * block others.
 */
const localWaitMs = 1_000
/** If this process is the bottleneck, moving jobs costs more than it gains. */
const longerLocalWaitMs = 10_000

export type DeliveryEngineDeps = Pick<Messaging, 'kafka' | 'codec' | 'producer'> & {
  poster: Poster
  opener: TextOpener
  circuits: CircuitStore
  metrics: DispatcherMetrics
  registry: Metrics
  tracer?: Tracer | undefined
  log: Logger
  /** Aborts the wait for Kafka while the engine opens. */
  signal: AbortSignal
}

export type DeliveryEngine = AsyncDisposable & {
  /** Starts deliveries once the subscriptions are known. */
  start(stopping: AbortSignal): Promise<void>
  readonly consuming: boolean
  /** True if the view of subscriptions is current. */
  readonly current: boolean
  readonly gauges: DispatcherGauges
}

/** Opens the view of subscriptions, the consumer of jobs, and the dispatcher between them. */
export async function openDeliveryEngine(
  config: Config,
  deps: DeliveryEngineDeps,
): Promise<DeliveryEngine> {
  const { kafka, codec, circuits, opener, log, signal } = deps
  await using opening = new AsyncDisposableStack()
  const { newestStates } = config
  const { clientId } = config.kafka
  const reading = opening.use(
    await openSubscriptionsView({ kafka, clientId, codec, opener, newestStates, log }),
  )
  const { subscriptions, view } = reading
  const dispatcher = opening.use(createDispatcher(config, deps, reading))
  subscriptions.onChange((id, left) => dispatcher.subscriptionChanged(id, left))
  opening.use(new CircuitWatch({ store: circuits, endpoints: () => dispatcher.endpoints() }))
  const listing = () => retryTopicsToRead(kafka, config.delayNames)
  const retryTopics = await retryUntilReady('kafka', listing, { log, signal })
  const consumer = opening.use(createConsumer(config, deps, { dispatcher, retryTopics }))
  opening.defer(async () => {
    consumer.stopReading()
    dispatcher.stop()
    await drained(() => dispatcher.inFlight, { withinMs: config.attempt.timeoutMs + 2_000 })
  })

  const resources = opening.move()
  return {
    async start(stopping) {
      const signals = { log, signal: stopping }
      await retryUntilReady('subscriptions', () => orAborted(view.ready, stopping), signals)
      await retryUntilReady('kafka', () => orAborted(consumer.start(), stopping), signals)
    },
    get consuming() {
      return consumer.healthy
    },
    get current() {
      return view.healthy
    },
    gauges: {
      inFlight: () => dispatcher.inFlight,
      paused: () => dispatcher.paused,
      windowOpen: () => consumer.open,
      openCircuits: () => dispatcher.openCircuits,
      loadedSubscriptions: () => subscriptions.loaded,
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function createDispatcher(
  config: Config,
  { codec, producer, poster, circuits, metrics, tracer, log }: DeliveryEngineDeps,
  { subscriptions, view }: Pick<SubscriptionsView, 'subscriptions' | 'view'>,
): Dispatcher {
  const ownLoad = new OwnLoad()
  const { delays, ladder } = config
  const nameOf = (id: string) => subscriptions.nameOf(id)
  const circuitEvents = new CircuitEvents({ producer, codec, store: circuits, nameOf, log })
  return new Dispatcher({
    codec,
    ownLoad,
    subscriptions: (onLoaded) => subscriptions.open({ view, onLoaded }),
    metrics,
    log,
    refuse: (message, reason) =>
      refuseInvalid(producer, codec, {
        message: { ...message, offset: String(message.offset) },
        topic: deliveriesTopic,
        partition: message.partition,
        reason: `${message.topic}: ${reason}`,
        refusedBy: dispatcherGroup,
      }),
    worker: {
      circuit: { ...config.circuit, store: circuits, events: circuitEvents },
      limits: {
        maxInFlight: config.endpointConcurrency,
        maxLocalWaitMs: () => (ownLoad.saturated ? longerLocalWaitMs : localWaitMs),
      },
      slots: new AttemptSlots({ room: { all: config.concurrency, each: 'free' }, startingMs }),
      window: config.window,
      attempts: new Attempts({ poster, delays, ladder, metrics, tracer, log }),
      transitions: new Transitions({ producer, codec, log }),
      metrics,
      onFault: (err) => log.error({ err }, 'delivery.fault'),
    },
  })
}

function createConsumer(
  config: Config,
  { kafka, registry, log }: DeliveryEngineDeps,
  { dispatcher, retryTopics }: { dispatcher: Dispatcher; retryTopics: readonly string[] },
): WindowedConsumer {
  return new WindowedConsumer({
    kafka,
    groupId: dispatcherGroup,
    topics: [deliveriesTopic, ...retryTopics, pausedTopic],
    // A retry is due at least a second after it was written, so these topics are fetched less
    // often.
    lowTraffic: [...retryTopics, pausedTopic],
    window: config.window,
    budget: new MemoryBudget(windowsBytes),
    aheadMs,
    // The paused topic is left out: its position follows the releases, and the window holds none of
    // its deliveries.
    tenantTopics: [deliveriesTopic, ...retryTopics],
    commitIntervalMs,
    drainMs: config.drainMs,
    lookBack: {
      topics: [deliveriesTopic, ...retryTopics],
      messages: lookBackMessages,
      bytes: lookBackBytes,
    },
    handler: dispatcher,
    metrics: registry,
    log,
  })
}
