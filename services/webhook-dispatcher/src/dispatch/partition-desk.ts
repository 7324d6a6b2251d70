import type { DeliveryJob } from '@surehook/contracts/events'
import { pausedTopic } from '@surehook/contracts/topics'
import type { PartitionLane } from '@surehook/service-kit/kafka/partition-lane'
import { succeeded } from '../attempt/decide-next-step.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { Endpoints } from '../endpoint/endpoints.ts'
import { Parking } from '../parking/parking.ts'
import type { Subscription } from '../subscriptions/subscriptions.ts'
import { Admission } from './admission.ts'
import type { Delivery } from './delivery.ts'
import type { DeskDeps } from './desk-deps.ts'
import { DueTimes } from './due-times.ts'
import { afterFaultMs, NextPlaces } from './next-places.ts'
import { Pressure } from './pressure.ts'
import { RecentSteps } from './recent-steps.ts'
import { Unsettled } from './unsettled.ts'
import { WorkInFlight } from './work-in-flight.ts'

/** Repetitions of older steps than these are no longer recognised. */
const rememberedSteps = 20_000

/**
 * Everything of one partition: its endpoints, its parked jobs, and what it has dealt with. All jobs,
 * retries and the circuit of an endpoint meet here, in one process. Discarded when the partition is
 * taken away.
 */
export class PartitionDesk {
  readonly #deps: DeskDeps
  readonly #lease: AbortSignal
  readonly #endpoints: Endpoints<Delivery>
  readonly #parking: Parking
  readonly #steps = new RecentSteps(rememberedSteps)
  /** Jobs that wait for the parked ones to be known, or for a hand-over to end. */
  #held: Delivery[] = []
  readonly #dueTimes = new DueTimes()
  readonly #unsettled: Unsettled
  readonly #pressure: Pressure
  readonly #work: WorkInFlight
  readonly #nextPlaces: NextPlaces
  #handingOver = false
  /** Whose turn is first when several may start. */
  #turn = 0

  constructor(lanes: ReadonlyMap<string, PartitionLane>, deps: DeskDeps) {
    const pausedLane = lanes.get(pausedTopic)
    if (pausedLane === undefined) throw new Error('a partition without its paused lane')
    this.#deps = deps
    this.#lease = pausedLane.lease
    this.#unsettled = new Unsettled(lanes)
    this.#work = new WorkInFlight(deps.onFault)
    this.#pressure = new Pressure({ lanes, dueTimes: this.#dueTimes, window: deps.window })
    const pressure = () => this.#pressure.isOn
    this.#endpoints = new Endpoints({ ...deps, pressure }, (endpoint) => this.#changed(endpoint))
    const { partition } = pausedLane
    const { subscriptions } = deps
    const endpoints = this.#endpoints
    const handingOver = () => this.#handingOver
    const admission = new Admission({ subscriptions, endpoints, handingOver })
    this.#parking = new Parking({
      lane: pausedLane,
      admission: (subscriptionId) => admission.of(subscriptionId),
      endpointOf: (subscriptionId) => admission.endpointOf(subscriptionId),
      isPaused: (subscriptionId) => admission.isPaused(subscriptionId),
      announce: (job) => this.#nextPlaces.announce(job),
      release: (delivery) => this.#release(delivery),
      relocate: (delivery, announced) => this.#nextPlaces.relocate(delivery, announced),
      seek: (offset) => deps.reader.seek(pausedTopic, partition, offset),
      pause: () => deps.reader.pause(pausedTopic, partition),
      resume: () => deps.reader.resume(pausedTopic, partition),
    })
    this.#nextPlaces = new NextPlaces({
      moves: deps.moves,
      lease: this.#lease,
      work: this.#work,
      unsettled: this.#unsettled,
      parking: this.#parking,
      settled: (delivery) => this.#settle(delivery),
      routeAgain: (delivery) => this.#route(delivery),
      wasReleased: ({ deliveryId, step }) => this.#steps.has(deliveryId, step + 1),
    })
    this.#parking.whenRecovered(() => this.#routeHeld())
  }

  /** Attempts and moves that have begun and not ended. */
  get busy(): number {
    return this.#work.count
  }

  get parked(): number {
    return this.#parking.size
  }

  get openCircuits(): number {
    let open = 0
    for (const endpoint of this.#endpoints.all()) if (endpoint.circuit.isOpen) open++
    return open
  }

  /** A job of the paused topic. */
  readParked(delivery: Delivery): void {
    const { deliveryId, step } = delivery.job
    if (!this.#steps.isDone(deliveryId, step)) return this.#parking.read(delivery)
    this.#parking.forget(delivery)
    this.#dropRepeated(delivery)
  }

  afterReadParked(): void {
    this.#parking.afterRead()
  }

  /** A job of any other topic, read for the first time. */
  accept(delivery: Delivery): void {
    const { deliveryId, step } = delivery.job
    if (!this.#steps.begin(deliveryId, step)) return this.#dropRepeated(delivery)
    this.#dueTimes.await(delivery, () => this.#route(delivery))
  }

  /** A job that was finished before this process owned the partition. */
  remember(job: DeliveryJob): void {
    if (this.#steps.begin(job.deliveryId, job.step)) this.#steps.done(job.deliveryId, job.step)
  }

  subscriptionChanged(subscriptionId: string): void {
    this.#parking.subscriptionChanged(subscriptionId)
  }

  /** While true nothing starts; what is in flight ends. */
  handOver(handingOver: boolean): void {
    this.#handingOver = handingOver
    if (handingOver) return
    this.#parking.rejoined()
    this.#routeHeld()
    this.#startAll()
  }

  /** Offsets were committed: what waited for that may start. */
  committed(): void {
    if (this.#unsettled.hasRoomAgain()) this.#startAll()
  }

  /** Moves what waits too long for its endpoint out of the way of others, and starts what may start again. */
  relieve(): void {
    this.#pressure.sample()
    this.#parking.tick()
    for (const endpoint of this.#endpoints.all()) {
      if (endpoint.queued > 0) this.#shed(endpoint)
    }
    this.#startAll()
  }

  dispose(): void {
    this.#endpoints.dispose()
  }

  #routeHeld(): void {
    for (const delivery of this.#held.splice(0)) this.#route(delivery)
  }

  #route(delivery: Delivery): void {
    if (this.#lease.aborted) return
    if (this.#handingOver || !this.#parking.recovered) {
      this.#held.push(delivery)
      return
    }
    const { job } = delivery
    const subscription = this.#deps.subscriptions.get(job.subscriptionId)
    if (subscription === undefined) return this.#cancelIfGone(delivery)
    if (subscription.url === null) return this.#nextPlaces.park(delivery, true)
    if (subscription.url !== job.url) return this.#nextPlaces.reroute(delivery, subscription.url)
    const endpoint = this.#endpoints.of(subscription.endpointId)
    const blocked = !subscription.deliverable || endpoint.circuit.isOpen
    if (blocked || this.#parking.has(job.subscriptionId) || !endpoint.accepts) {
      return this.#nextPlaces.park(delivery, blocked)
    }
    this.#enqueue(endpoint, delivery)
  }

  #routeLater(delivery: Delivery): void {
    setTimeout(() => this.#route(delivery), afterFaultMs).unref()
  }

  /** A parked job whose turn has come: others of its subscription may still be parked behind it. */
  #release(delivery: Delivery): void {
    const { job } = delivery
    if (!this.#steps.begin(job.deliveryId, job.step)) return this.#dropRepeated(delivery)
    const subscription = this.#deps.subscriptions.get(job.subscriptionId)
    if (subscription === undefined) return this.#cancelIfGone(delivery)
    if (subscription.url === null) return this.#nextPlaces.park(delivery, true)
    if (subscription.url !== job.url) return this.#nextPlaces.reroute(delivery, subscription.url)
    this.#enqueue(this.#endpoints.of(subscription.endpointId), delivery)
  }

  #enqueue(endpoint: Endpoint<Delivery>, delivery: Delivery): void {
    endpoint.enqueue(delivery)
    this.#start(endpoint)
  }

  /** In turns: while little may start, whoever was first would have all of it. */
  #startAll(): void {
    let waiting = [...this.#endpoints.all()].filter(({ queued }) => queued > 0)
    const first = waiting.length === 0 ? 0 : this.#turn++ % waiting.length
    waiting = [...waiting.slice(first), ...waiting.slice(0, first)]
    while (waiting.length > 0)
      waiting = waiting.filter((endpoint) => this.#start(endpoint, 1) === 1)
  }

  get #mayStart(): boolean {
    if (this.#handingOver || this.#lease.aborted || !this.#deps.mayStart()) return false
    return this.#unsettled.hasRoom
  }

  /** @returns how many were started */
  #start(endpoint: Endpoint<Delivery>, most = Number.POSITIVE_INFINITY): number {
    let left = false
    let started = 0
    while (started < most && endpoint.queued > 0 && this.#mayStart) {
      const next = endpoint.next()
      if (next === undefined) break
      started++
      const { job: delivery, ended } = next
      const subscription = this.#deps.subscriptions.get(delivery.job.subscriptionId)
      if (subscription?.deliverable && subscription.url === delivery.job.url) {
        this.#work.track(this.#attempt({ delivery, subscription, endpoint, ended }))
      } else {
        // It changed while the job waited here.
        ended(undefined)
        this.#route(delivery)
        left = true
      }
    }
    // Their room is free, and no attempt of theirs will tell so; not now: parking may be at work.
    if (left) queueMicrotask(() => this.#parking.endpointChanged(endpoint.id))
    return started
  }

  async #attempt({ delivery, subscription, endpoint, ended }: Started): Promise<void> {
    const { job } = delivery
    const { attempts } = this.#deps
    const result = await attempts
      .make(delivery, subscription, endpoint.circuit)
      .catch((err: unknown) => {
        // No attempt was made: nothing is counted, and the job must not stay without an owner.
        ended(undefined)
        this.#routeLater(delivery)
        throw err
      })
    ended(succeeded(result))
    // The circuit decides before anything else may start.
    const recorded = endpoint.circuit.record(result)
    this.#start(endpoint)
    this.#parking.endpointChanged(endpoint.id)
    await recorded
    // The next owner repeats what failed here; a success is told all the same.
    if (this.#lease.aborted && !succeeded(result)) return
    await this.#nextPlaces.afterAttempt(delivery, result, attempts.nextStep(job, result))
  }

  /** The view may be behind the matcher's: it is brought up to the topic's end before the job is given up. */
  #cancelIfGone(delivery: Delivery): void {
    this.#work.track(
      (async () => {
        await this.#deps.subscriptionsCurrent(this.#lease).catch((err: unknown) => {
          this.#routeLater(delivery)
          throw err
        })
        if (this.#lease.aborted) return
        if (this.#deps.subscriptions.get(delivery.job.subscriptionId)) return this.#route(delivery)
        this.#nextPlaces.cancel(delivery)
      })(),
    )
  }

  #settle({ job, message }: Delivery): void {
    this.#steps.done(job.deliveryId, job.step)
    message.finish()
  }

  #dropRepeated({ message }: Delivery): void {
    this.#deps.metrics.repeated.inc()
    message.finish()
  }

  #changed(endpoint: Endpoint<Delivery>): void {
    if (endpoint.circuit.isOpen) this.#shed(endpoint)
    else this.#start(endpoint)
    this.#parking.endpointChanged(endpoint.id)
  }

  #shed(endpoint: Endpoint<Delivery>): void {
    for (const delivery of endpoint.shed()) this.#nextPlaces.park(delivery, endpoint.circuit.isOpen)
  }
}

type Started = {
  delivery: Delivery
  subscription: Subscription
  endpoint: Endpoint<Delivery>
  ended: (succeeded: boolean | undefined) => void
}
