import { randomUUID } from 'node:crypto'

/** Where a process dies: before or after this call from now, counted from 1. */
export interface Death {
  afterCalls: number
  isBefore: boolean
}

/**
 * The life of one process in a model, which may end in the middle of any call. Its callers then wait forever, so it has no
 * further effect. `open` counts the calls that haven't returned.
 */
export function beginLife(onDeath: () => void, death?: Death, open: { calls: number } = { calls: 0 }) {
  const died = Promise.withResolvers<void>()
  const own = { owner: randomUUID(), isDead: false, death }
  const never = new Promise<never>(() => undefined)

  function die(): Promise<never> {
    if (!own.isDead) {
      own.isDead = true
      onDeath()
      died.resolve()
    }
    return never
  }

  async function call<T>(work: () => Promise<T>): Promise<T> {
    if (own.isDead) return never
    if (own.death) own.death.afterCalls -= 1
    const isLast = own.death !== undefined && own.death.afterCalls < 0
    if (isLast && own.death?.isBefore) return die()
    open.calls += 1
    const result = await work().finally(() => {
      open.calls -= 1
    })
    return isLast || own.isDead ? die() : result
  }

  /** The same object, with every function replaced by a call of this life, at any depth. */
  const mortal = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value === 'function')
          return (...given: unknown[]) => call(async () => await Reflect.apply(value, target, given))
        return typeof value === 'object' && value !== null ? mortal(value) : value
      },
    })

  return { own, died: died.promise, die, call, mortal }
}
