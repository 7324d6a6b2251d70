// What the sources use and Node 20 lacks. A bundler replaces these names by the exports.
const withResolvers = () => {
  const made = {}
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }))
  return made
}

const groupBy = (items, keyOf) => {
  const groups = new Map()
  let at = 0
  for (const item of items) {
    const key = keyOf(item, at++)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/** The part that the sources use. Errors of several resources become one AggregateError. */
class Stack {
  #resources = []

  use(resource) {
    if (resource != null) {
      const dispose = resource[Symbol.asyncDispose] ?? resource[Symbol.dispose]
      this.#resources.push(() => dispose.call(resource))
    }
    return resource
  }

  adopt(value, dispose) {
    this.#resources.push(() => dispose(value))
    return value
  }

  defer(dispose) {
    this.#resources.push(dispose)
  }

  move() {
    const moved = new Stack()
    moved.#resources = this.#resources.splice(0)
    return moved
  }

  async disposeAsync() {
    const errors = []
    for (const dispose of this.#resources.splice(0).reverse()) {
      try {
        await dispose()
      } catch (err) {
        errors.push(err)
      }
    }
    if (errors.length > 1) throw new AggregateError(errors, 'resources could not be released')
    if (errors.length === 1) throw errors[0]
  }

  [Symbol.asyncDispose]() {
    return this.disposeAsync()
  }
}

const stack = globalThis.AsyncDisposableStack ?? Stack

export {
  groupBy as 'Map.groupBy',
  stack as 'AsyncDisposableStack',
  withResolvers as 'Promise.withResolvers',
}
