import { plainNumeral } from '@surehook/contracts/filter/values/decimal'
import type { ColumnType } from '@surehook/contracts/http/data/tables'
import { isKept, roundedFault } from '@surehook/contracts/json/exact-json'
import {
  type ConstObjectValueNode,
  type ConstValueNode,
  GraphQLBoolean,
  GraphQLError,
  GraphQLFloat,
  GraphQLInt,
  GraphQLScalarType,
  GraphQLString,
  Kind,
} from 'graphql'

/** Checks only the JSON type. The rules of the REST API for the column check the value. */
function scalar(name: string, description: string, fits: (value: unknown) => boolean) {
  const checked = (value: unknown): unknown => {
    if (fits(value)) return value
    throw new GraphQLError(`${name} cannot represent this value`)
  }
  return new GraphQLScalarType<unknown, unknown>({
    name,
    description,
    coerceOutputValue: (value) => value,
    coerceInputValue: checked,
    coerceInputLiteral: (node) => checked(valueOf(node, textOf)),
  })
}

const isText = (value: unknown) => typeof value === 'string'
const isTextOrNumber = (value: unknown) => isText(value) || typeof value === 'number'

/** Keeps all digits of a literal, because a double may not hold them. */
const textOf = (literal: string): unknown => plainNumeral(literal)

function exactNumber(literal: string): number {
  if (isKept(literal)) return Number(literal)
  throw new GraphQLError(`JSON ${roundedFault}`)
}

const json = new GraphQLScalarType<unknown, unknown>({
  name: 'JSON',
  description: 'Any JSON value.',
  coerceOutputValue: (value) => value,
  coerceInputValue: (value) => value,
  coerceInputLiteral: (node) => valueOf(node, exactNumber),
})

/** The GraphQL type of each column type, for records and for inputs. */
export const scalars: Readonly<Record<ColumnType, GraphQLScalarType>> = {
  text: GraphQLString,
  integer: GraphQLInt,
  bigint: scalar('BigInt', 'A whole number of 64 bits, as a string.', isTextOrNumber),
  double: GraphQLFloat,
  decimal: scalar('Decimal', 'A decimal number as a string, its zeros kept.', isTextOrNumber),
  boolean: GraphQLBoolean,
  timestamp: scalar('Timestamp', 'ISO 8601 with its offset; in answers UTC, milliseconds.', isText),
  date: scalar('Date', 'YYYY-MM-DD.', isText),
  uuid: scalar('UUID', 'A UUID.', isText),
  json,
}

function valueOf(node: ConstValueNode, numberOf: (digits: string) => unknown): unknown {
  switch (node.kind) {
    case Kind.NULL:
      return null
    case Kind.INT:
    case Kind.FLOAT:
      return numberOf(node.value)
    case Kind.LIST:
      return node.values.map((inner) => valueOf(inner, numberOf))
    case Kind.OBJECT:
      return objectOf(node, numberOf)
    default:
      return node.value
  }
}

function objectOf({ fields }: ConstObjectValueNode, numberOf: (digits: string) => unknown): object {
  const entries = fields.map(({ name, value }): [string, unknown] => {
    // Refused like in a JSON body, where it could set an object's prototype.
    if (name.value === '__proto__') throw new GraphQLError('__proto__ is not an accepted name')
    return [name.value, valueOf(value, numberOf)]
  })
  return Object.fromEntries(entries)
}
