import { Latencies } from '../measure/latencies.ts'
import { ReceivedIds, webhookIdOf } from './received-ids.ts'
import type { ReceiverReport } from './receiver.ts'
import { openReceiverServer } from './receiver-server.ts'

/** An HTTPS receiver in a process of its own, so that its work is not the load generator's. */
const latencies = new Latencies()
const ids = new ReceivedIds()
let firstAt = 0
let lastAt = 0
/** When each was sent and received, in turn. */
let times: number[] = []

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
    if (sent) {
      latencies.add(at - Number(sent[1]))
      times.push(Number(sent[1]), at)
    }
    res.writeHead(204).end()
  })
})

process.on('message', (message: 'reset' | 'report' | 'times') => {
  if (message === 'times') {
    process.send?.(times)
    return
  }
  if (message === 'reset') {
    latencies.clear()
    times = []
    ids.startAgain()
    firstAt = 0
  }
  const report: ReceiverReport = { ...ids.counts, firstAt, lastAt, latency: latencies.summary() }
  process.send?.(report)
})
