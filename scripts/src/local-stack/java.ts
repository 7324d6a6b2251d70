import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/**
 * Returns the major version of `java` on the path. Throws an explanation if it cannot run the
 * stack.
 */
export async function requireJava(): Promise<string> {
  const version = await javaVersion()
  const major = Number(version.split('.')[0])
  if (major < 17) throw new Error(`Java 17 or newer is needed for Kafka; "java" is ${version}`)
  return version
}

async function javaVersion(): Promise<string> {
  try {
    const { stderr } = await promisify(execFile)('java', ['-version'])
    return /version "([^"]+)"/.exec(stderr)?.[1] ?? '0'
  } catch (err) {
    throw new Error('Java (the command "java") is not installed; Kafka needs a JDK 17', {
      cause: err,
    })
  }
}

/** Flags of every JVM of the stack, for fast start and low memory. */
export const jvmFlags = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData']
