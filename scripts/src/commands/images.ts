import { readEnvFile } from '../compose/read-env-file.ts'
import { asImageName, buildImages } from '../images/build-images.ts'
import { imageNames } from '../images/image-names.ts'

/**
 * `npm run images [-- <name>…]`: builds the images of the services and of the operator's command. `npm run images -- try` builds the one to try Surehook out.
 * Their names are `$IMAGE_PREFIX/<name>:$IMAGE_TAG`, by default `surehook` and the version.
 */
readEnvFile()
try {
  const asked = process.argv.slice(2).map(asImageName)
  await buildImages(asked.length > 0 ? asked : imageNames, process.env)
} catch (err) {
  console.error(err instanceof Error ? err.message : err)
  process.exitCode = 1
}
