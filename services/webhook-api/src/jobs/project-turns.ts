/** The projects whose last turn is remembered. */
const remembered = 1_000

/**
 * Lets projects take turns at background work, so that many jobs of one project delay a job of
 * another by one turn each time.
 */
export class ProjectTurns {
  /** Projects in the order of their last turns. */
  readonly #had = new Set<string>()

  /**
   * Returns the job of the project that has waited longest since its turn, and gives it a turn.
   * Projects without a turn come first, in the order of the jobs.
   * @param jobs one of each project that waits
   */
  next<Job extends { projectId: string }>(jobs: readonly Job[]): Job | undefined {
    const byProject = new Map(jobs.map((job) => [job.projectId, job]))
    const waiting = [...this.#had].find((projectId) => byProject.has(projectId))
    const job =
      jobs.find(({ projectId }) => !this.#had.has(projectId)) ??
      (waiting === undefined ? undefined : byProject.get(waiting))
    if (job === undefined) return undefined
    this.#had.delete(job.projectId)
    this.#had.add(job.projectId)
    const [oldest] = this.#had
    if (this.#had.size > remembered && oldest !== undefined) this.#had.delete(oldest)
    return job
  }
}
