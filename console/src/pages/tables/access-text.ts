/** The roles of users that may do an action. A management token needs no role. */
export const accessText = (roles: readonly string[]): string =>
  roles.length === 0 ? 'no user' : roles.join(', ')
