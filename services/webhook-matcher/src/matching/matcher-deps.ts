import type { EventProducer } from '@surehook/kafka/producer/producer'
import type { TopicView } from '@surehook/kafka/views/topic-view'
import type { SubscriptionIndex } from '@surehook/matching/index/subscription-index'
import type { EventCodec } from '@surehook/schemas/codec'
import type { Tracer } from '@surehook/service-kit/telemetry/tracing/tracer'
import type { Logger } from 'pino'
import type { Topics } from '../config.ts'
import type { MatcherMetrics } from '../metrics.ts'

export type MatcherDeps = {
  index: Pick<SubscriptionIndex, 'match'>
  view: Pick<TopicView, 'barrier'>
  codec: Pick<EventCodec, 'change' | 'job' | 'attempt' | 'invalid'>
  producer: Pick<EventProducer, 'send'>
  topics: Topics
  groupId: string
  maxBodyBytes: number
  metrics: MatcherMetrics
  tracer?: Tracer | undefined
  log: Logger
}
