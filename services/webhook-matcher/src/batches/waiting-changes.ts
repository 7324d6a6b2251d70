import type { KafkaMessage } from '@surehook/kafka/client/surface'
import type { WindowedMessage } from '@surehook/kafka/windowed/windowed-consumer'

/** Changes of one partition that wait for their batch, in order within each project. */
export class WaitingChanges {
  /** The project whose turn is next comes first. */
  readonly #of = new Map<string, WindowedMessage[]>()

  add(message: WindowedMessage): void {
    const project = projectOf(message)
    const waiting = this.#of.get(project)
    if (waiting === undefined) this.#of.set(project, [message])
    else waiting.push(message)
  }

  /**
   * Takes an equal share of each project, up to the number it has. No project is in two batches at
   * once.
   * @param most number of changes
   */
  take(
    most: number,
    except: ReadonlySet<string>,
  ): { projects: Set<string>; messages: WindowedMessage[] } {
    const projects = [...this.#of.keys()].filter((project) => !except.has(project)).slice(0, most)
    const each = Math.ceil(most / projects.length)
    const messages: WindowedMessage[] = []
    for (const project of projects) {
      const waiting = this.#of.get(project) ?? []
      messages.push(...waiting.splice(0, each))
      this.#of.delete(project)
      if (waiting.length > 0) this.#of.set(project, waiting)
    }
    return { projects: new Set(projects), messages }
  }
}

/** Returns the project of a change from its key, so that waiting changes need no decoding. */
export function projectOf({ key }: Pick<KafkaMessage, 'key'>): string {
  const end = key?.indexOf('/') ?? -1
  return end === -1 ? '' : (key?.toString('utf8', 0, end) ?? '')
}
