import * as z from 'zod'
import { defineOperation } from '../../operation.ts'
import { EnvironmentName, ProjectId } from '../../tenant-names.ts'
import { common, Environment, environmentPath, projectPath, refused } from './admin.ts'

export const deleteEnvironment = defineOperation({
  ...common,
  id: 'deleteEnvironment',
  method: 'delete',
  path: '/auth/admin/projects/{project}/environments/{environment}',
  summary: 'Delete an environment',
  description:
    'Stops the environment at once. Its users, tables, records, subscriptions and delivery ' +
    'history are deleted in the background. `GET` answers 404 when everything is gone.',
  params: environmentPath,
  reply: {
    status: 202,
    schema: Environment,
    description: 'The environment serves nobody from now on',
  },
  errors: ['VALIDATION_ERROR', ...refused, 'ENVIRONMENT_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
})

export const deleteProject = defineOperation({
  ...common,
  id: 'deleteProject',
  method: 'delete',
  path: '/auth/admin/projects/{project}',
  summary: 'Delete a project',
  description:
    "Revokes the project's management tokens at once and starts to delete every environment. " +
    'The deletion runs in the background. The list of projects leaves out a project that is ' +
    'gone.',
  params: projectPath,
  reply: {
    status: 202,
    schema: z.object({ id: ProjectId, environments: z.array(EnvironmentName) }),
    description: 'The environments that are being deleted',
  },
  errors: ['VALIDATION_ERROR', ...refused, 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
})
