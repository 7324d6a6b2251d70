import { Facts, type FactsProps } from '../layout/page.tsx'
import './stats.css'

/** A few figures, large enough to see at a glance. */
export const Stats = ({ items }: Pick<FactsProps, 'items'>) => (
  <Facts className="stats" items={items} />
)
