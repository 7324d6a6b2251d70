import type { Access } from './access.ts'

/** Stands for every user of the environment in the place of a role. */
export const everyUser = '*'

/**
 * The column of the preset `"access": "owner"`: each user reads and changes the records that they
 * created.
 */
export const ownerColumn = { name: 'owner_id', type: 'uuid' } as const
const own = { [ownerColumn.name]: '$user.id' }

export const ownerAccess = {
  read: [{ role: everyUser, where: own }],
  create: [{ role: everyUser, set: own }],
  update: [{ role: everyUser, where: own, set: own }],
  delete: [{ role: everyUser, where: own }],
} satisfies Access
