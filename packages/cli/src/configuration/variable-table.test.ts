import { describe, expect, it } from '@jest/globals'
import { readVariables, variablesPage } from './variable-table.ts'

describe('readVariables', () => {
  it('returns the services, the default and the allowed values of every variable', async () => {
    const variables = await readVariables()
    const find = (name: string) => variables.find((one) => one.name === name)
    expect(find('KAFKA_BROKERS')).toMatchObject({ isRequired: true })
    expect(find('KAFKA_BROKERS')?.services).not.toContain('gateway')
    expect(find('KAFKA_PARTITIONS')).toMatchObject({ default: '8', values: '1 to 10000' })
    expect(find('KEY_ENCRYPTION_KEY')).toMatchObject({ secret: true, isRequired: true })
    expect(find('WEBHOOK_TIMEOUT')).toMatchObject({
      default: '5s',
      services: ['webhook-dispatcher'],
    })
    expect(find('PUBLIC_URL')).toMatchObject({
      isRequired: true,
      optionalFor: ['webhook-api', 'gateway'],
    })
    const page = variablesPage(variables)
    for (const { name } of variables) expect(page).toContain(`| \`${name}\` |`)
  })
})
