/**
 * The schema of `/auth/graphql`. Results are nullable, so that a failed one does not remove the
 * others.
 */
export const typeDefs = /* GraphQL */ `
  type Query {
    "The public keys that tokens of this project and environment verify with."
    jwks: Jwks
    "What a signup form needs to know of the environment."
    settings: Settings
    "The user of the access token in the Authorization header."
    me: Me
    "The sessions of that user that have not ended, newest first."
    sessions(limit: Int, cursor: String): SessionPage
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
    "Change the names of the user of the access token. Null clears a name."
    updateMe(firstName: String, lastName: String): Me
    "Set a new password if the old one is right, and end every other session."
    changePassword(oldPassword: String!, newPassword: String!): MessageResult
    "End one of the sessions of the user of the access token."
    endSession(id: String!): MessageResult
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

  type Me {
    id: ID!
    email: String!
    firstName: String!
    lastName: String!
    roles: [String!]!
    emailVerified: Boolean!
    createdAt: String!
    updatedAt: String!
  }

  type SessionPage {
    sessions: [Session!]!
    nextCursor: String
  }

  type Session {
    id: ID!
    createdAt: String!
    lastUsedAt: String!
    "The session of the access token of this call."
    current: Boolean!
  }

  type Settings {
    "A signup is confirmed with a mailed code before the first login."
    emailVerification: Boolean!
    "Access tokens are encrypted (JWE)."
    encryptTokens: Boolean!
    password: PasswordSettings!
  }

  type PasswordSettings {
    minLength: Int!
    maxLength: Int!
    minScore: Int!
    breachCheck: Boolean!
    "Each rule that a violation of a new password can name."
    rules: [String!]!
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
