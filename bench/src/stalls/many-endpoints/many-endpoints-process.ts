import { ReceivedIds, webhookIdOf } from '../../receiver/received-ids.ts'
import { openReceiverServer } from '../../receiver/receiver-server.ts'
import { PathStats } from '../path-stats.ts'
import { answerAs } from './manners.ts'
import type { Answer, Question } from './many-endpoints.ts'

/** Many HTTPS endpoints, good and bad, in a separate process. */
const paths = new Map<string, PathStats>()
/** The deliveries on each path, kept over a reset. */
const idsOf = new Map<string, ReceivedIds>()

const now = () => performance.timeOrigin + performance.now()

const server = openReceiverServer((req, res) => {
  const path = req.url ?? '/'
  const ids = idsOf.get(path) ?? new ReceivedIds()
  idsOf.set(path, ids)
  const stats = paths.get(path) ?? new PathStats(ids)
  paths.set(path, stats)
  res.once('finish', () => {
    // Any other answer causes another attempt with the same id.
    if (res.statusCode < 300) stats.accepted(webhookIdOf(req))
  })
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    stats.read(Buffer.concat(chunks).toString('latin1'), now())
    void answerAs(path, { req, res })
  })
})
server.on('clientError', (_err, socket) => socket.destroy())

process.on('message', ({ id, ask }: Question) => {
  if (ask === 'reset') {
    paths.clear()
    for (const ids of idsOf.values()) ids.startAgain()
  }
  const of = <Value>(read: (stats: PathStats) => Value) =>
    Object.fromEntries(Array.from(paths, ([path, stats]) => [path, read(stats)]))
  const reports = ask === 'report' ? of((stats) => stats.report) : {}
  process.send?.({ id, reports, unique: of((stats) => stats.unique) } satisfies Answer)
})
