// Preloaded into a service: sets its clock ahead of the real one by the milliseconds in a file.
// Only the time of day jumps. Timers and performance.now() continue, as when a real clock is set.
import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

const RealDate = globalThis.Date
const file = `${process.env.CLOCK_DIR}/${basename(process.argv[2] ?? 'none')}`
const lookEveryMs = 100
let aheadMs = 0

function look() {
  aheadMs = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
}

const now = () => RealDate.now() + aheadMs

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})
RealDate.prototype.constructor = globalThis.Date

look()
setInterval(look, lookEveryMs).unref()
