import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Failure } from '../cli/command.ts'

/** Runs `kubectl` of the path, and returns its output. A failure is what kubectl says. */
export async function kubectl(
  args: readonly string[],
  { env, input = '' }: { env: NodeJS.ProcessEnv; input?: string },
): Promise<string> {
  const child = spawn('kubectl', args, { env, stdio: 'pipe' })
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (output.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (output.err += text))
  // If kubectl ends before it has read all of its input, its output says why.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [code] = (await once(child, 'close').catch((err: Error) => {
    throw new Failure(`kubectl cannot be run: ${err.message}`)
  })) as [number | null]
  if (code !== 0) throw new Failure(`kubectl ${args[0]}: ${output.err.trim()}`)
  return output.out
}
