/** The schema of `/auth/graphql`. Results are nullable: one that fails leaves the others. */
export const typeDefs = /* GraphQL */ `
  type Query {
    "The public keys that tokens of this project and environment verify with."
    jwks: Jwks
  }

  "Each field counts for itself against rate limits and lockout, aliased or not."
  type Mutation {
    "Register a user. A code is mailed when the environment verifies addresses."
    signup(
      email: String!
      password: String!
      firstName: String
      lastName: String
      "The id of a role that users may give themselves."
      roleId: String
      "The language of mails to the user, such as de or fr-CA."
      locale: String
    ): SignupResult
    "Confirm the address with the mailed code, and log in."
    confirmSignup(email: String!, code: String!): LoginResult
    "Mail a new verification code; answers alike whether or not there is one to send."
    resendCode(email: String!): MessageResult
    login(email: String!, password: String!): LoginResult
    "Mail a recovery code; answers alike whether or not the address is registered."
    recoverPassword(email: String!): MessageResult
    "Set a new password with the mailed code; ends every session and any lockout."
    resetPassword(email: String!, newPassword: String!, code: String!): MessageResult
    "Exchange a refresh token for a new pair; a token presented twice ends its session."
    refreshToken(refreshToken: String!): TokenResult
    "End the session of the access token in the Authorization header."
    logout: MessageResult
  }

  type SignupResult {
    userId: ID!
    message: String!
  }

  type LoginResult {
    accessToken: String!
    refreshToken: String!
    user: User!
  }

  type TokenResult {
    accessToken: String!
    refreshToken: String!
  }

  type MessageResult {
    message: String!
  }

  type User {
    id: ID!
    email: String!
    firstName: String!
    lastName: String!
    roles: [String!]!
  }

  type Jwks {
    keys: [Jwk!]!
  }

  type Jwk {
    kty: String!
    kid: String!
    use: String!
    alg: String!
    n: String!
    e: String!
  }
`
