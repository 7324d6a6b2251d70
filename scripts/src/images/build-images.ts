import { runCommand } from '../lib/run-command.ts'
import { step } from '../start/progress.ts'
import { buildArguments } from './build-arguments.ts'
import { type ImageName, imageNames, tagOf, tryImage } from './image-names.ts'

/** Builds the images one after another, because the first build makes all but the last stages. */
export async function buildImages(
  names: readonly ImageName[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const revision = await currentRevision()
  for (const name of names) {
    await step(tagOf(name, env), async () => {
      const args = ['docker', ...buildArguments(name, env, revision)]
      const { ok, output } = await runCommand({ args, env: { DOCKER_BUILDKIT: '1' } })
      if (!ok) throw new Error(`building ${name} failed:\n${lastLines(output)}`)
    })
  }
}

/** Throws an error that lists the valid names. */
export function asImageName(text: string): ImageName {
  const names: readonly ImageName[] = [...imageNames, tryImage]
  const name = names.find((one) => one === text)
  if (name === undefined) throw new Error(`unknown image "${text}", not one of ${names.join(', ')}`)
  return name
}

/** Unknown in an archive without git history. */
async function currentRevision(): Promise<string> {
  const { ok, output } = await runCommand({ args: ['git', 'rev-parse', 'HEAD'] })
  return ok ? output.trim() : 'unknown'
}

function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-40).join('\n')
}
