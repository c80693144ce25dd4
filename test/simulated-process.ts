import { randomUUID } from 'node:crypto'

/** When a process dies: after `afterCalls` calls, either before the next call starts (`isBefore`) or after it has ended. */
export interface Death {
  afterCalls: number
  isBefore: boolean
}

/**
 * Simulates a process that may die before or after any call. Once it is dead, its calls never return, so it has no further effect.
 * `open` counts the calls that haven't returned yet.
 */
export function simulateProcess(onDeath: () => void, death?: Death, open: { calls: number } = { calls: 0 }) {
  const died = Promise.withResolvers<void>()
  const state = { owner: randomUUID(), isDead: false, death }
  const never = new Promise<never>(() => undefined)

  function die(): Promise<never> {
    if (!state.isDead) {
      state.isDead = true
      onDeath()
      died.resolve()
    }
    return never
  }

  async function call<T>(work: () => Promise<T>): Promise<T> {
    if (state.isDead) return never
    if (state.death) state.death.afterCalls -= 1
    const isLast = state.death !== undefined && state.death.afterCalls < 0
    if (isLast && state.death?.isBefore) return die()
    open.calls += 1
    const result = await work().finally(() => {
      open.calls -= 1
    })
    return isLast || state.isDead ? die() : result
  }

  /** Wraps an object so that all of its functions, at any depth, are calls of this process. */
  const wrap = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value === 'function')
          return (...args: unknown[]) => call(async () => await Reflect.apply(value, target, args))
        return typeof value === 'object' && value !== null ? wrap(value) : value
      },
    })

  return { own: state, died: died.promise, die, call, mortal: wrap }
}
