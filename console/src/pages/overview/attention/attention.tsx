import type { Subscription } from '@surehook/client'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useEndpoints } from '../../../api/queries.ts'
import { count } from '../../../parts/data/numbers.ts'
import { Button } from '../../../parts/forms/button.tsx'
import { Card } from '../../../parts/layout/page.tsx'
import type { NumbersById } from '../../webhooks/webhook-columns.tsx'
import { TroubleItem } from './trouble-item.tsx'
import { troublesOf } from './troubles.ts'
import './attention.css'

/** How many URLs the list shows first, and adds with each click. */
const [first, further] = [5, 20]

type AttentionProps = { webhooks: readonly Subscription[]; numbers: NumbersById }

/** The URLs that need a person, each with the buttons that mend it. */
export function Attention({ webhooks, numbers }: AttentionProps) {
  const list = useRef<HTMLUListElement>(null)
  const [shown, setShown] = useState(first)
  const endpoints = useEndpoints().data?.endpoints ?? []
  const troubles = troublesOf({ webhooks, endpoints, numbers })
  const left = troubles.length - shown
  if (troubles.length === 0) return null
  const showMore = () => {
    flushSync(() => setShown(shown + further))
    list.current?.children[shown]?.querySelector('a')?.focus()
  }
  return (
    <Card title="Needs attention" isFlush>
      <ul className="troubles" ref={list}>
        {troubles.slice(0, shown).map((trouble) => (
          <TroubleItem key={trouble.open?.id ?? trouble.webhooks[0]?.id} trouble={trouble} />
        ))}
      </ul>
      {left > 0 && (
        <div className="troubles-more">
          <Button look="ghost" onClick={showMore}>
            and {count(left)} more
          </Button>
        </div>
      )}
    </Card>
  )
}
