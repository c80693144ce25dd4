import { randomUUID } from 'node:crypto'
import { Kysely } from 'kysely'

/** When a simulated process dies: it makes `afterCalls` calls, and dies right before or right after the next one. */
export interface Death {
  afterCalls: number
  isBefore: boolean
}

/**
 * Simulates a process that may die before or after any of its calls. Once it is dead, its calls never return, so it has no further
 * effect. `pending` counts the calls that haven't returned yet.
 */
export function simulateProcess(
  onDeath: () => void,
  death?: Death,
  pending: { calls: number } = { calls: 0 },
) {
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
    pending.calls += 1
    const result = await work().finally(() => {
      pending.calls -= 1
    })
    return isLast || state.isDead ? die() : result
  }

  /** Each item that is read is a call. */
  async function* callEach<T>(items: AsyncIterator<T>): AsyncGenerator<T> {
    for (;;) {
      const { done, value } = await call(() => items.next())
      if (done) return
      yield value
    }
  }

  /**
   * Wraps an object so that all calls of its functions, also in nested objects, are calls of this process. The process doesn't die in a
   * transaction, because a call that never returns would keep it open. The database would roll it back.
   */
  const wrapCalls = <T extends object>(object: T): T =>
    new Proxy(object, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value === 'function' && value instanceof AsyncGeneratorFunction)
          return (...args: unknown[]) => callEach<unknown>(Reflect.apply(value, target, args))
        if (typeof value === 'function')
          return (...args: unknown[]) =>
            args.some(isTransaction)
              ? Reflect.apply(value, target, args)
              : call(async () => await Reflect.apply(value, target, args))
        return typeof value === 'object' && value !== null ? wrapCalls(value) : value
      },
    })

  return { state, died: died.promise, die, call, wrapCalls }
}

const AsyncGeneratorFunction = Object.getPrototypeOf(async function* () {}).constructor

const isTransaction = (value: unknown): boolean => value instanceof Kysely && value.isTransaction
