'use client'

import { SignedOutError } from '@surehook/auth'
import { useRouter } from 'next/navigation'
import { type FormEvent, useCallback, useEffect, useState } from 'react'
import type { Order } from '../../lib/order'
import { browserAuth, browserOrders } from '../../lib/surehook'

export default function OrdersPage() {
  const router = useRouter()
  const [orders, setOrders] = useState<Order[] | null>(null)
  const [problem, setProblem] = useState('')

  const show = useCallback(
    (err: unknown) => {
      if (err instanceof SignedOutError) router.replace('/login')
      else setProblem(err instanceof Error ? err.message : String(err))
    },
    [router],
  )

  const read = useCallback(async () => {
    const { records } = await browserOrders().list({ order: '-createdAt' })
    setOrders(records)
  }, [])

  useEffect(() => {
    read().catch(show)
    // Also when the user logs out in another tab.
    return browserAuth().onChange(({ type }) => {
      if (type === 'signedOut') router.replace('/login')
    })
  }, [read, show, router])

  function create(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const customer = String(new FormData(form).get('customer') ?? '')
    const work = async () => {
      await browserOrders().create({ customer })
      form.reset()
      await read()
    }
    setProblem('')
    work().catch(show)
  }

  if (orders === null) return <p>{problem || 'Loading…'}</p>
  return (
    <>
      <h1>Orders</h1>
      <form onSubmit={create}>
        <label>
          Customer <input name="customer" required />
        </label>
        <button type="submit">Create</button>
        <button type="button" onClick={() => browserAuth().logout().catch(show)}>
          Log out
        </button>
      </form>
      <p role="alert">{problem}</p>
      <ul>
        {orders.map(({ id, customer }) => (
          <li key={id}>{customer}</li>
        ))}
      </ul>
    </>
  )
}
