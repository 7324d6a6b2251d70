import { openRelay } from '@surehook/change-capture/relay/relay'
import { createKafka } from '@surehook/kafka/client/client'
import { openProducer } from '@surehook/kafka/producer/producer'
import { createLogger } from '@surehook/service-kit/telemetry/log'

// Runs only a relay, which the test kills.
const [databaseUrl = '', slot = '', brokers = ''] = process.argv.slice(2)
const log = createLogger('relay', 'info')
const producer = await openProducer(createKafka({ brokers: [brokers], clientId: 'relay', log }), {
  log,
})
openRelay({
  service: 'test',
  slot,
  databaseUrl,
  producer,
  log,
  toRecord: ({ header, body }) => ({
    topic: header.topic,
    key: header.key,
    value: Buffer.from(body),
  }),
  toInvalid: ({ reason }) => {
    throw new Error(reason)
  },
})
