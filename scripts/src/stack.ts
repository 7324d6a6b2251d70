import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startLocalStack } from './local-stack/local-stack.ts'

/** `stack.ts --dir <dir>`: one local stack, its endpoints in `<dir>/endpoints.json`, until a signal. */
const { values } = parseArgs({ options: { dir: { type: 'string' } } })
if (values.dir === undefined) throw new Error('usage: stack.ts --dir <directory>')
const dir = resolve(values.dir)
const { stop, processes: _, ...endpoints } = await startLocalStack({ dir, log: console.log })
await writeFile(`${dir}/endpoints.json`, `${JSON.stringify(endpoints, null, 2)}\n`, { mode: 0o600 })
console.log(`endpoints in ${dir}/endpoints.json; Ctrl-C ends the stack`)
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
await stop()
