import { SurehookAuth } from '@surehook/auth'
import { Surehook } from '@surehook/client'
import type { Order } from './order'

// Next.js replaces these names by their values, so they must stand here in full.
const platform = {
  baseUrl: process.env.NEXT_PUBLIC_SUREHOOK_URL ?? 'http://localhost:8080',
  projectId: process.env.NEXT_PUBLIC_SUREHOOK_PROJECT ?? 'shop',
}

let auth: SurehookAuth | undefined

/** The session of this browser. Call it in effects and handlers: the server has no session. */
export function browserAuth(): SurehookAuth {
  auth ??= new SurehookAuth(platform)
  return auth
}

/** The table `orders`, as the signed-in user. */
export function browserOrders() {
  const token = () => browserAuth().accessToken()
  return new Surehook({ ...platform, token }).table<Order>('orders')
}
