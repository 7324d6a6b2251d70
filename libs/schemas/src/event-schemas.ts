import type { DeliveryJob } from '@surehook/contracts/events'
import {
  alertsTopic,
  attemptsTopic,
  changesTopic,
  deliveriesTopic,
  environmentPurgesTopic,
  environmentsTopic,
  managementTokensTopic,
  revocationsTopic,
  sourceColumnsTopic,
  subscriptionsTopic,
  tablesTopic,
} from '@surehook/contracts/topics'
import avro from 'avsc'
import { schemaText } from './schema-text.ts'

export type EventSchema = { subject: string; json: object; type: avro.Type }

function schemaOf(subject: string, file: string): EventSchema {
  const json = JSON.parse(schemaText(file))
  return { subject, json, type: avro.Type.forSchema(json, { omitRecordMethods: true }) }
}

/**
 * Subject and Avro type of every event. Append only: schemas are registered in this order, so that
 * an empty registry always assigns the same ids.
 */
export const eventSchemas = {
  change: schemaOf(`${changesTopic}-value`, 'change-event'),
  environment: schemaOf(`${environmentsTopic}-value`, 'environment-state'),
  managementToken: schemaOf(`${managementTokensTopic}-value`, 'management-token-state'),
  subscription: schemaOf(`${subscriptionsTopic}-value`, 'subscription-state'),
  // All delivery topics share one subject, because jobs move between them unchanged.
  job: schemaOf(`${deliveriesTopic}-value`, 'delivery-job'),
  attempt: schemaOf(`${attemptsTopic}-value`, 'delivery-attempt'),
  invalid: schemaOf('invalid-value', 'invalid-message'),
  revocation: schemaOf(`${revocationsTopic}-value`, 'session-revocation'),
  table: schemaOf(`${tablesTopic}-value`, 'table-state'),
  environmentPurge: schemaOf(`${environmentPurgesTopic}-value`, 'environment-purge'),
  alert: schemaOf(`${alertsTopic}-value`, 'webhook-alert'),
  sourceColumns: schemaOf(`${sourceColumnsTopic}-value`, 'source-columns-state'),
}

const headFields = [
  'deliveryId',
  'webhookId',
  'eventId',
  'subscriptionId',
  'projectId',
  'environment',
  'table',
  'operation',
  'createdAt',
  'redeliveryOf',
  'recordId',
] as const satisfies readonly (keyof DeliveryJob)[]

/** Job without its body and the fields that only the dispatcher needs. */
export type DeliveryJobHead = Pick<DeliveryJob, (typeof headFields)[number]>

/** Decodes the head of a job. Other fields are skipped without a copy. */
export const jobHeadType = headOf(eventSchemas.job.json as RecordSchema)

type RecordSchema = { name: string; namespace: string; fields: { name: string }[] }

function headOf(job: RecordSchema): avro.Type {
  const isOfHead = ({ name }: { name: string }) => headFields.some((field) => field === name)
  const head = { ...job, fields: job.fields.filter(isOfHead) }
  return avro.Type.forSchema(head as unknown as avro.Schema, { omitRecordMethods: true })
}
