import { readFile } from 'node:fs/promises'
import type { Credentials } from './credentials.ts'

const mechanism = 'SCRAM-SHA-512'

/**
 * Returns the broker's properties with SASL over TLS on its only client listener. Everything is
 * denied unless an ACL allows it.
 */
export async function securedProperties(
  properties: string,
  credentials: Credentials,
): Promise<string> {
  const { certificateFile, keyFile, kafka } = credentials
  const line = async (file: string) => (await readFile(file, 'utf8')).trim().replaceAll('\n', '\\n')
  const login = 'org.apache.kafka.common.security.scram.ScramLoginModule required'
  const secured = properties
    .replaceAll('PLAINTEXT://127.0.0.1', 'SASL_SSL://127.0.0.1')
    .replace('PLAINTEXT:PLAINTEXT,', 'SASL_SSL:SASL_SSL,')
    .replace('inter.broker.listener.name=PLAINTEXT', 'inter.broker.listener.name=SASL_SSL')
  return [
    secured,
    `sasl.enabled.mechanisms=SCRAM-SHA-256,${mechanism}`,
    `sasl.mechanism.inter.broker.protocol=${mechanism}`,
    `listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=${login} username="admin" password="${kafka.admin}";`,
    `listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config=${login};`,
    'ssl.keystore.type=PEM',
    `ssl.keystore.certificate.chain=${await line(certificateFile)}`,
    `ssl.keystore.key=${await line(keyFile)}`,
    'ssl.truststore.type=PEM',
    `ssl.truststore.certificates=${credentials.ca.trim().replaceAll('\n', '\\n')}`,
    'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'allow.everyone.if.no.acl.found=false',
    // The controller runs in this process, and only the broker uses its listener.
    'super.users=User:admin;User:ANONYMOUS',
    '',
  ].join('\n')
}

/**
 * Creates users when the data directory is formatted, because a running broker would first need a
 * user to admit.
 */
export const scramArguments = ({ kafka }: Credentials): string[] =>
  Object.entries(kafka).flatMap(([name, password]) => [
    '--add-scram',
    `${mechanism}=[name=${name},password=${password}]`,
  ])
