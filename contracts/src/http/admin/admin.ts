import * as z from 'zod'
import { defineOperation } from '../../operation.ts'
import { ManagementRight, ManagementRights } from '../../rights.ts'
import { EnvironmentName, ProjectId } from '../../tenant-names.ts'
import { ruled } from '../../violation-rules.ts'
import { Instant } from '../instant.ts'
import { SearchText, text } from '../text.ts'
import { AuthSettings, AuthSettingsChange, change } from './auth-settings.ts'
import { LimitSettings, LimitSettingsChange } from './limit-settings.ts'
import { NotifySettings, NotifySettingsChange } from './notify-settings.ts'
import { TrustedIssuer, TrustedIssuersInput } from './trusted-issuers.ts'

export const Environment = z
  .object({
    projectId: ProjectId,
    environment: EnvironmentName,
    auth: AuthSettings,
    limits: LimitSettings,
    notify: NotifySettings,
    trustedIssuers: z
      .array(TrustedIssuer)
      .describe('OpenID providers whose access tokens are accepted'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    deletedAt: z.iso
      .datetime()
      .nullable()
      .describe('When its deletion began: the environment serves nobody since then'),
  })
  .meta({ id: 'Environment' })
export type Environment = z.infer<typeof Environment>

export const KeyState = z
  .object({
    kid: z.string(),
    use: z.enum(['sig', 'enc']),
    createdAt: z.iso.datetime(),
    activeFrom: z.iso.datetime().describe('When new tokens begin to use the key'),
  })
  .meta({ id: 'KeyState' })

export const Project = z
  .object({ id: ProjectId, environments: z.array(EnvironmentName), createdAt: z.iso.datetime() })
  .meta({ id: 'Project' })

export const ManagementToken = z
  .object({
    id: z.uuid(),
    projectId: ProjectId,
    name: z.string(),
    environments: z.array(EnvironmentName).nullable().describe('null for every environment'),
    rights: z.array(ManagementRight).describe('What the token may be used for'),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().nullable().describe('null: never'),
  })
  .meta({ id: 'ManagementToken' })
export type ManagementToken = z.infer<typeof ManagementToken>

export const page = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('Entries per page'),
  cursor: z.string().min(1).max(512).optional().describe('`nextCursor` of the page before'),
})
export const nextCursor = z.string().nullable().describe('null on the last page')
export const projectPath = z.object({ project: ProjectId })
export const environmentPath = z.object({ project: ProjectId, environment: EnvironmentName })
/** A management token is refused by its own codes. */
export const refused = ['ADMIN_TOKEN_INVALID', 'MANAGEMENT_TOKEN_INVALID', 'FORBIDDEN'] as const
export const common = { tag: 'administration', security: 'admin' } as const

export const putEnvironment = defineOperation({
  ...common,
  id: 'putEnvironment',
  method: 'put',
  path: '/auth/admin/projects/{project}/environments/{environment}',
  summary: 'Create or change an environment',
  description:
    'Creates the environment, and its project with the first environment. On an existing ' +
    'environment an absent setting keeps its value, and `null` restores the default. Create a ' +
    'role before you set it as `defaultRole`.',
  params: environmentPath,
  body: z.strictObject({
    auth: change(AuthSettingsChange),
    limits: change(LimitSettingsChange),
    notify: change(NotifySettingsChange),
    trustedIssuers: change(TrustedIssuersInput),
  }),
  reply: { status: 200, schema: Environment, description: 'The environment with all its settings' },
  errors: ['VALIDATION_ERROR', ...refused, 'CONFLICT', 'SERVICE_UNAVAILABLE'],
})

export const testNotify = defineOperation({
  ...common,
  id: 'testNotify',
  method: 'post',
  path: '/auth/admin/projects/{project}/environments/{environment}/notify/test',
  summary: 'Send a test alert',
  description:
    'Sends a test alert to every recipient of `notify`. If one is given up, `failures` of the ' +
    'settings says why. A recipient whose last test is not sent yet gets no second one.',
  params: environmentPath,
  reply: {
    status: 202,
    schema: z.object({ recipients: z.int().describe('How many get it') }),
  },
  errors: ['VALIDATION_ERROR', ...refused, 'ENVIRONMENT_NOT_FOUND'],
})

export const getEnvironment = defineOperation({
  ...common,
  id: 'getEnvironment',
  method: 'get',
  path: '/auth/admin/projects/{project}/environments/{environment}',
  summary: 'Get an environment',
  description:
    'Returns the environment with its settings. An authentication setting that nobody changed ' +
    'shows its default, and a limit shows null.',
  params: environmentPath,
  reply: { status: 200, schema: Environment },
  errors: ['VALIDATION_ERROR', ...refused, 'ENVIRONMENT_NOT_FOUND'],
})

export const rotateKeys = defineOperation({
  ...common,
  id: 'rotateKeys',
  method: 'post',
  path: '/auth/admin/projects/{project}/environments/{environment}/keys/rotate',
  summary: 'Rotate the token keys',
  description:
    'Publishes new keys. New tokens use them when every verifier can know them. Tokens made ' +
    'with the old keys stay valid until they expire. If a key leaked, send ' +
    '`immediately=true`: every token made with an old key is refused from then on. A rotation ' +
    'that waits for its keys makes no further keys.',
  params: environmentPath,
  query: z.strictObject({
    immediately: z
      .enum(['true', 'false'])
      .default('false')
      .describe(
        'Use the new keys at once and refuse every token made with an old key. Users refresh',
      ),
  }),
  reply: {
    status: 200,
    schema: z.object({ keys: z.array(KeyState) }),
    description: 'Every key of the environment',
  },
  errors: ['VALIDATION_ERROR', ...refused, 'ENVIRONMENT_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
})

export const listProjects = defineOperation({
  ...common,
  id: 'listProjects',
  method: 'get',
  path: '/auth/admin/projects',
  summary: 'List projects',
  description:
    'Returns every project with its environments, sorted by name. Pass `nextCursor` as ' +
    '`cursor` to read the next page.',
  query: page.extend({
    search: SearchText.optional().describe(
      'Only projects whose name contains this text, in upper or lower case',
    ),
  }),
  reply: { status: 200, schema: z.object({ projects: z.array(Project), nextCursor }) },
  errors: ['VALIDATION_ERROR', ...refused],
})

export const listEnvironments = defineOperation({
  ...common,
  security: 'adminOrAnyManagement',
  id: 'listEnvironments',
  method: 'get',
  path: '/auth/admin/projects/{project}/environments',
  summary: 'List environments',
  description:
    'Returns the environments of the project, sorted by name. A management token gets those that ' +
    'it manages.',
  params: projectPath,
  reply: { status: 200, schema: z.object({ environments: z.array(EnvironmentName) }) },
  errors: ['VALIDATION_ERROR', ...refused, 'NOT_FOUND'],
})

export const createManagementToken = defineOperation({
  ...common,
  id: 'createManagementToken',
  method: 'post',
  path: '/auth/admin/projects/{project}/management-tokens',
  summary: 'Create a management token',
  description:
    'Creates a token that manages tables, records, subscriptions and users of the project. ' +
    '`rights` limits it to some of them. Only this answer shows the token.',
  params: projectPath,
  body: z.strictObject({
    name: z.string().trim().pipe(text(100)),
    environments: z
      .array(EnvironmentName)
      .min(1)
      .max(100)
      .refine(
        (names) => new Set(names).size === names.length,
        ruled('each environment once', 'repeated'),
      )
      .nullable()
      .optional()
      .describe('The environments that the token manages. Absent or null: all'),
    rights: ManagementRights.optional().describe(
      'What the token may be used for. Absent: everything',
    ),
    expiresAt: Instant.nullable().optional().describe('Absent or null: never'),
  }),
  reply: {
    status: 201,
    schema: ManagementToken.extend({ token: z.string().describe('Only this answer shows it') }),
  },
  errors: ['VALIDATION_ERROR', ...refused, 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
})

export const listManagementTokens = defineOperation({
  ...common,
  id: 'listManagementTokens',
  method: 'get',
  path: '/auth/admin/projects/{project}/management-tokens',
  summary: 'List management tokens',
  description:
    'Returns the management tokens of the project, newest first. The answer never holds the ' +
    'tokens themselves. Pass `nextCursor` as `cursor` to read the next page.',
  params: projectPath,
  query: page.extend({
    search: SearchText.optional().describe(
      'Only tokens whose name contains this text, in upper or lower case',
    ),
  }),
  reply: { status: 200, schema: z.object({ tokens: z.array(ManagementToken), nextCursor }) },
  errors: ['VALIDATION_ERROR', ...refused, 'NOT_FOUND'],
})

export const deleteManagementToken = defineOperation({
  ...common,
  id: 'deleteManagementToken',
  method: 'delete',
  path: '/auth/admin/projects/{project}/management-tokens/{id}',
  summary: 'Revoke a management token',
  description: 'Revokes the token. Every service refuses it within 1 s.',
  params: projectPath.extend({ id: z.string().describe('The id of the management token') }),
  reply: { status: 204, schema: z.void() },
  errors: ['VALIDATION_ERROR', ...refused, 'MANAGEMENT_TOKEN_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
})
