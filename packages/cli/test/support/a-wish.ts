import {
  type PolicyWish,
  type SubscriptionWish,
  wishesOf,
} from '../../src/environment-file/file/wishes.ts'

/** A subscription as the file wants it. Fields that are not given have the defaults of the file. */
export const aWish = (fields: Partial<SubscriptionWish> = {}): SubscriptionWish => ({
  ...shortest,
  ...fields,
})

export const aPolicy = (fields: Partial<PolicyWish> = {}): PolicyWish => ({
  ...shortest.policy,
  ...fields,
})

const [shortest] = wishesOf(
  {
    content: {
      version: 2,
      subscriptions: [{ table: 'orders', events: ['INSERT'], url: 'https://receiver.example/' }],
    },
    fault: (_, message) => message,
  },
  {},
).subscriptions as [SubscriptionWish]
