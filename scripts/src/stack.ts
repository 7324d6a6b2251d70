import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startStack } from './containers/start-stack.ts'

/**
 * `stack.ts --dir <dir>`: runs one stack (of the kind in `TEST_INFRA`) until a signal, and writes
 * its endpoints to `<dir>/endpoints.json`.
 */
const { values } = parseArgs({ options: { dir: { type: 'string' } } })
if (values.dir === undefined) throw new Error('usage: stack.ts --dir <directory>')
const dir = resolve(values.dir)
const { stop, processes: _, ...endpoints } = await startStack({ dir, log: console.log })
await writeFile(`${dir}/endpoints.json`, `${JSON.stringify(endpoints, null, 2)}\n`, { mode: 0o600 })
console.log(`endpoints in ${dir}/endpoints.json; Ctrl-C ends the stack`)
// Child processes keep this one alive, but containers do not.
const waiting = setInterval(() => {}, 60_000)
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
clearInterval(waiting)
await stop()
