import type { Transport } from '../transport/transport.ts'
import { ConsoleCodes } from './console-codes.ts'
import { Environments } from './environments.ts'
import { Installation } from './installation.ts'
import { Projects } from './projects.ts'
import { Roles } from './roles.ts'
import { Tokens } from './tokens.ts'
import { Users } from './users.ts'

/**
 * Uses `adminToken`. Everything but `projects` and `installation` is of the client's project and
 * environment.
 */
export class Admin {
  readonly projects: Projects
  /** Health, running jobs and the ledger, of all tenants. */
  readonly installation: Installation
  /** Settings and signing keys. */
  readonly environments: Environments
  /** Management tokens. */
  readonly tokens: Tokens
  readonly users: Users
  readonly roles: Roles
  /** One-time codes that open the web console. */
  readonly consoleCodes: ConsoleCodes

  constructor(transport: Transport) {
    this.projects = new Projects(transport)
    this.installation = new Installation(transport)
    this.environments = new Environments(transport)
    this.tokens = new Tokens(transport)
    this.users = new Users(transport)
    this.roles = new Roles(transport)
    this.consoleCodes = new ConsoleCodes(transport)
  }
}
