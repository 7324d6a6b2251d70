import ipaddr from 'ipaddr.js'
import { type KubeObject, ofKind, type Peer, type PolicyRule, selects } from './kube-objects.ts'

/** The peer of a connection: a pod by its labels and those of its namespace, or an address. */
export type End =
  | { labels: Record<string, string>; namespace?: Record<string, string> }
  | { address: string }

type Connection = { end: End; port: number; protocol?: 'TCP' | 'UDP' }

/**
 * Returns whether the policies let a pod connect to `end`. Everything is allowed if no policy
 * applies to the pod.
 */
export function mayConnect(
  objects: readonly KubeObject[],
  labels: Record<string, string>,
  connection: Connection,
): boolean {
  return isLet(objects, labels, { ...connection, direction: 'egress' })
}

/** Returns whether the policies let `end` connect to a pod. */
export function mayBeReached(
  objects: readonly KubeObject[],
  labels: Record<string, string>,
  connection: Connection,
): boolean {
  return isLet(objects, labels, { ...connection, direction: 'ingress' })
}

type AskedConnection = Connection & { direction: 'ingress' | 'egress' }

function isLet(
  objects: readonly KubeObject[],
  labels: Record<string, string>,
  { direction, ...connection }: AskedConnection,
): boolean {
  const type = direction === 'egress' ? 'Egress' : 'Ingress'
  const about = ofKind(objects, 'NetworkPolicy').filter(
    ({ spec }) =>
      selects(spec.podSelector ?? { matchLabels: {} }, labels) && spec.policyTypes?.includes(type),
  )
  if (about.length === 0) return true
  return about.some(({ spec }) =>
    spec[direction]?.some((rule) => lets(rule, direction, connection)),
  )
}

function lets(
  rule: PolicyRule,
  direction: 'ingress' | 'egress',
  { end, port, protocol = 'TCP' }: Connection,
): boolean {
  const onPort = rule.ports.some((one) => one.protocol === protocol && (one.port ?? port) === port)
  if (!onPort) return false
  const peers = direction === 'egress' ? rule.to : rule.from
  return peers === undefined || peers.some((peer) => isPeer(peer, end))
}

function isPeer({ ipBlock, podSelector, namespaceSelector }: Peer, end: End): boolean {
  if ('address' in end) {
    if (ipBlock === undefined || !isIn(end.address, ipBlock.cidr)) return false
    return !(ipBlock.except ?? []).some((cidr) => isIn(end.address, cidr))
  }
  if (ipBlock !== undefined) return false
  const inNamespace =
    namespaceSelector === undefined
      ? end.namespace === undefined
      : end.namespace !== undefined && selects(namespaceSelector, end.namespace)
  return inNamespace && (podSelector === undefined || selects(podSelector, end.labels))
}

function isIn(address: string, cidr: string): boolean {
  const parsed = ipaddr.parse(address)
  const [network, prefix] = ipaddr.parseCIDR(cidr)
  return parsed.kind() === network.kind() && parsed.match([network, prefix])
}
