import type { Endpoint } from '@surehook/client'
import { plural } from '../../parts/data/numbers.ts'

/** What happens to deliveries when somebody closes the circuit. */
export const closingText = ({ paused }: Pick<Endpoint, 'paused'>): string =>
  paused === 0
    ? 'No delivery is paused. New deliveries go out at once.'
    : `This sends ${plural(paused, 'paused delivery', 'paused deliveries')} at once, and new ones.`
