import { readFile, writeFile } from 'node:fs/promises'

/**
 * Writes the authorities that deliveries of `npm start` trust into `target`, and returns the
 * variable that names it. They are those of the environment and the demo CA: without the latter,
 * every delivery to the test receiver would fail.
 */
export async function trustedAuthorities(
  env: NodeJS.ProcessEnv,
  { caFile, target }: { caFile: string; target: string },
): Promise<{ WEBHOOK_EXTRA_CA_FILE: string }> {
  const given = env['WEBHOOK_EXTRA_CA_FILE']
  if (!given) return { WEBHOOK_EXTRA_CA_FILE: caFile }
  const own = await readFile(given, 'utf8').catch((err: Error) => {
    throw new Error(`WEBHOOK_EXTRA_CA_FILE cannot be read: ${err.message}`, { cause: err })
  })
  await writeFile(target, `${own.trimEnd()}\n${await readFile(caFile, 'utf8')}`)
  return { WEBHOOK_EXTRA_CA_FILE: target }
}
