import type { TopicSpec } from '@surehook/contracts/topics'
import type { Logger } from 'pino'
import { type Admin, type ConfigEntry, ConfigResourceTypes, type Kafka } from '../client/surface.ts'
import { withAdmin } from '../client/with-admin.ts'

const { TOPIC: topicType } = ConfigResourceTypes
/** The source of a setting that its topic has of its own, in the Kafka protocol. */
const setOnTopic = 1

export type AlignedTopic = { topic: string; changed: Readonly<Record<string, string>> }

/**
 * Updates the settings of existing topics that differ from the topic table, such as those of an
 * older installation. It extends retention times and never shortens them. Settings outside of the
 * table stay unchanged.
 */
export function alignTopics(
  kafka: Pick<Kafka, 'admin'>,
  specs: readonly TopicSpec[],
  log: Pick<Logger, 'info'>,
): Promise<AlignedTopic[]> {
  return withAdmin(kafka, async (admin) => {
    const existing = new Set(await admin.listTopics())
    const aligned: AlignedTopic[] = []
    for (const spec of specs.filter(({ name }) => existing.has(name))) {
      const changed = await alignTopic(admin, spec)
      if (Object.keys(changed).length === 0) continue
      aligned.push({ topic: spec.name, changed })
      log.info({ topic: spec.name, changed }, 'topic.aligned')
    }
    return aligned
  })
}

/** Kafka replaces all settings of a topic at once, so the existing ones are sent along. */
async function alignTopic(
  admin: Admin,
  { name, config }: TopicSpec,
): Promise<Record<string, string>> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: topicType, name }],
  })
  const entries = resources[0]?.configEntries ?? []
  const inForce = new Map(entries.map(({ configName, configValue }) => [configName, configValue]))
  const changed = differing(config, inForce)
  if (Object.keys(changed).length === 0) return changed
  const kept = entries.filter(({ configSource }) => configSource === setOnTopic)
  const wanted = {
    ...Object.fromEntries(kept.map(({ configName, configValue }) => [configName, configValue])),
    ...changed,
  }
  const configEntries: ConfigEntry[] = Object.entries(wanted).map(([key, value]) => ({
    name: key,
    value,
  }))
  const alter = { validateOnly: false, resources: [{ type: topicType, name, configEntries }] }
  await admin.alterConfigs(alter)
  return changed
}

/** Returns the wanted settings that differ from the current ones. */
export function differing(
  wanted: Readonly<Record<string, string>>,
  inForce: ReadonlyMap<string, string>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(wanted).filter(([key, value]) => {
      const current = inForce.get(key)
      return current !== value && !(current !== undefined && keepsLonger(key, current, value))
    }),
  )
}

/** True if the current retention is longer than the wanted one. -1 is unlimited. */
function keepsLonger(key: string, current: string, wanted: string): boolean {
  if (!key.endsWith('retention.ms') || Number(wanted) === -1) return false
  return Number(current) === -1 || Number(current) > Number(wanted)
}
