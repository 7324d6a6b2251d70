import { expect, it } from '@jest/globals'
import { kafkaUsers } from '@surehook/contracts/access/kafka-access'
import { kafkaAclCommands, principalOf } from './prepare-kafka-access.ts'

it("can be printed as commands of Kafka's own tool", () => {
  const commands = kafkaAclCommands('User:surehook-{user}')
  const server =
    'kafka-acls.sh --bootstrap-server "$KAFKA_BROKERS" --command-config admin.properties'
  const of = (user: string) => `${server} --add --allow-principal 'User:surehook-${user}'`
  expect(commands).toContain(
    `${of('webhook-matcher')} --operation Read --group 'webhook-matcher' --resource-pattern-type prefixed`,
  )
  expect(commands).toContain(`${of('webhook-matcher')} --operation DescribeConfigs --cluster`)
  for (const user of kafkaUsers) {
    expect(
      commands.filter((line) => line.includes(`'${principalOf('User:surehook-{user}', user)}'`)),
    ).not.toEqual([])
  }
})
