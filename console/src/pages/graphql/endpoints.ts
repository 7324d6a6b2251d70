/** The GraphQL endpoints of the gateway. */
export const endpoints = [
  {
    id: 'data',
    title: 'Data',
    path: '/gw/api/graphql',
    /** Whose token a request carries, unless a user's is given. */
    credential: 'management',
    sends: 'Sends your management token, which needs the right records.',
  },
  {
    id: 'auth',
    title: 'Authentication',
    path: '/auth/graphql',
    credential: 'none',
    sends: 'Sends no token. This endpoint takes only access tokens of users.',
  },
] as const

export type GraphQLEndpoint = (typeof endpoints)[number]

/** The user that requests are sent as. Without a token they are sent as the session. */
export type AskingUser = {
  token: string
  /** Grows with each other token, so that keys need not contain it. */
  version: number
}

export const endpointOf = (id: string | null): GraphQLEndpoint =>
  endpoints.find((one) => one.id === id) ?? endpoints[0]
