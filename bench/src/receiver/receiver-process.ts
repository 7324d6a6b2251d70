import { Latencies } from '../measure/latencies.ts'
import { ReceivedIds, webhookIdOf } from './received-ids.ts'
import type { ReceiverReport } from './receiver.ts'
import { openReceiverServer } from './receiver-server.ts'

/** An HTTPS receiver in a separate process, so that its work is not that of the load generator. */
const latencies = new Latencies()
const ids = new ReceivedIds()
let firstAt = 0
let lastAt = 0

const now = () => performance.timeOrigin + performance.now()
/** The writer puts the time of the change into the record. */
const sentAt = /"sent_at":(\d+(?:\.\d+)?)/

openReceiverServer((req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    const at = now()
    firstAt ||= at
    lastAt = at
    ids.add(webhookIdOf(req))
    const sent = sentAt.exec(Buffer.concat(chunks).toString('latin1'))
    if (sent) latencies.add(at - Number(sent[1]))
    res.writeHead(204).end()
  })
})

process.on('message', (message: 'reset' | 'report') => {
  if (message === 'reset') {
    latencies.clear()
    ids.startAgain()
    firstAt = 0
  }
  const report: ReceiverReport = { ...ids.counts, firstAt, lastAt, latency: latencies.summary() }
  process.send?.(report)
})
