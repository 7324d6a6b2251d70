'use client'

import { SignedOutError } from '@surehook/auth'
import { useRouter } from 'next/navigation'
import { useCallback, useEffect, useState } from 'react'
import type { Order } from '../../lib/order'
import { browserAuth, browserOrders } from '../../lib/surehook'
import { NewOrder } from './new-order'

export default function OrdersPage() {
  const router = useRouter()
  const [orders, setOrders] = useState<Order[] | null>(null)
  const [problem, setProblem] = useState('')

  /** Does some work, and shows why it failed. */
  const attempt = useCallback(
    (work: () => Promise<void>) => {
      setProblem('')
      work().catch((err: unknown) => {
        if (err instanceof SignedOutError) router.replace('/login')
        else setProblem(err instanceof Error ? err.message : String(err))
      })
    },
    [router],
  )

  const read = useCallback(async () => {
    const { records } = await browserOrders().list({ order: '-createdAt' })
    setOrders(records)
  }, [])

  useEffect(() => {
    attempt(read)
    // Also when the user logs out in another tab.
    return browserAuth().onChange(({ type }) => {
      if (type === 'signedOut') router.replace('/login')
    })
  }, [attempt, read, router])

  async function create(customer: string): Promise<void> {
    await browserOrders().create({ customer })
    await read()
  }

  if (orders === null) return <p>{problem || 'Loading…'}</p>
  return (
    <>
      <h1>Orders</h1>
      <NewOrder onSubmit={(customer) => attempt(() => create(customer))} />
      <button type="button" onClick={() => attempt(() => browserAuth().logout())}>
        Log out
      </button>
      <p role="alert">{problem}</p>
      <ul>
        {orders.map(({ id, customer }) => (
          <li key={id}>{customer}</li>
        ))}
      </ul>
    </>
  )
}
