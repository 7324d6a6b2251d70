import type {
  DeleteProjectData,
  DeleteProjectResponse,
  ListProjectsData,
  ListProjectsResponse,
  Project,
} from '../generated/admin/types.gen.ts'
import { itemsOf } from '../resources/items.ts'
import { deletion, type Query, type RequestOptions } from '../transport/operation.ts'
import type { Transport } from '../transport/transport.ts'

type ProjectQuery = Query<ListProjectsData>

export class Projects {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  list(query: ProjectQuery = {}, options?: RequestOptions): Promise<ListProjectsResponse> {
    return this.#transport.send<ListProjectsData, ListProjectsResponse>(
      { method: 'GET', url: '/auth/admin/projects', query, repeat: 'safe' },
      options,
    )
  }

  /** Iterates over the projects of all pages. */
  iterate(
    query: ProjectQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<Project, void, undefined> {
    const list = (asked: ProjectQuery) => this.list(asked, options)
    return itemsOf(list, ({ projects }) => projects, query)
  }

  /** Deletes a project with all its environments. */
  delete(project: string, options?: RequestOptions): Promise<DeleteProjectResponse> {
    return this.#transport.send<DeleteProjectData, DeleteProjectResponse>(
      {
        ...deletion,
        url: '/auth/admin/projects/{project}',
        path: { project },
        gone: { body: { id: project, environments: [] } },
      },
      options,
    )
  }
}
