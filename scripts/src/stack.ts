import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startStack } from './containers/start-stack.ts'

/** `stack.ts --dir <dir>`: one stack (`TEST_INFRA` says of what kind), its endpoints in `<dir>/endpoints.json`, until a signal. */
const { values } = parseArgs({ options: { dir: { type: 'string' } } })
if (values.dir === undefined) throw new Error('usage: stack.ts --dir <directory>')
const dir = resolve(values.dir)
const { stop, processes: _, ...endpoints } = await startStack({ dir, log: console.log })
await writeFile(`${dir}/endpoints.json`, `${JSON.stringify(endpoints, null, 2)}\n`, { mode: 0o600 })
console.log(`endpoints in ${dir}/endpoints.json; Ctrl-C ends the stack`)
// Child processes keep this one alive; containers do not.
const waiting = setInterval(() => {}, 60_000)
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
clearInterval(waiting)
await stop()
