import type { WorkKind } from '../../../../packages/durable/src/engine/work-kind.ts'
import type { WorkEnd } from '../../../../packages/durable/src/work/leases.ts'
import type { Work } from '../../../../packages/durable/src/work/work-row.ts'
import type { Store } from '../../../../src/app/store.ts'
import { WATCH_WORK } from '../../../../src/features/watching/rows/watch-work.ts'
import { beginLife, type Death } from '../../../mortal-life.ts'
import { createStopwatch } from '../stopwatch.ts'

const MOST_ATTEMPTS = 50

/**
 * A process that does what is due when it is told to, and may die in the middle of anything: nothing of it is heard of any
 * more, and another takes its place.
 */
export function createMortal(parts: {
  store: Store
  /** The kinds of work over a store that may stop answering. */
  kindsOf: (
    watching: Store['watching'],
    attempts: Store['postAttempts'],
    times: Pick<ReturnType<typeof createStopwatch>, 'stopwatch' | 'leased'>,
  ) => WorkKind[]
  /** A poll that has changed nothing has ended. */
  onUnchanged: () => Promise<void>
  onFault: (error: unknown) => void
}) {
  const { store, kindsOf, onUnchanged, onFault } = parts
  /** So many of the next processes die at their first call. */
  let doomed = 0
  let life = born()

  function born() {
    const death: Death | undefined = doomed > 0 ? { afterCalls: 0, isBefore: true } : undefined
    doomed = Math.max(0, doomed - 1)
    const open = { calls: 0 }
    const { own, died, mortal } = beginLife(
      () => {
        life = born()
      },
      death,
      open,
    )
    const times = createStopwatch()
    const kinds = new Map(
      kindsOf(mortal(store.watching), mortal(store.postAttempts), times).map((kind) => [kind.kind, kind]),
    )
    /** What it keeps while time passes. */
    const kept = new Set<string>()
    let told: unknown

    async function attend(work: Work): Promise<void> {
      const signal = new AbortController().signal
      const held = { work, owner: own.owner, signal, wantsStop: () => false }
      let end: WorkEnd
      try {
        const kind = kinds.get(work.kind)
        // As the engine has it: what so many processes have died with is given up.
        if (work.attempts > (kind?.maxAttempts ?? MOST_ATTEMPTS)) end = { state: 'stopped' }
        else end = (await kind?.run(held)) ?? { state: 'done' }
      } catch (error) {
        onFault(error)
        end = { state: 'waiting', dueInMs: 1000 }
      }
      if (!own.isDead) await store.work.release(work.id, own.owner, end)
    }

    /** Polls until the next round, while this process holds what it polls. */
    async function keep(work: Work): Promise<void> {
      kept.add(work.id)
      void attend(work).finally(() => kept.delete(work.id))
      await rests()
    }

    async function rests(): Promise<void> {
      await times.rests({
        isBusy: () => open.calls > 0 || kept.size > times.leased.size,
        isDead: () => own.isDead,
      })
      for (const scopes of times.leased.values())
        for (const { unsavedNoChange } of scopes.values()) {
          if (unsavedNoChange && unsavedNoChange.end !== told) await onUnchanged()
          told = unsavedNoChange?.end
        }
    }

    return {
      own,
      died,
      kinds: [...kinds.keys()],
      kept,
      attend: (work: Work) => (work.kind === WATCH_WORK.poll ? keep(work) : attend(work)),
      async pass(ms: number): Promise<void> {
        times.pass(ms)
        await rests()
      },
    }
  }

  /** Until it is done, or its process dies, which may be at once. */
  function attend(work: Work): Promise<void> {
    const { died, attend } = life
    return Promise.race([attend(work), died])
  }

  return {
    /** `lives`: how many processes die, one after the other; the later ones at once. */
    dieAt(death: Death, lives = 1): void {
      life.own.death = death
      doomed = lives - 1
    },
    /** Time passes for whoever lives. */
    pass(ms: number): Promise<void> {
      const { died, pass } = life
      return Promise.race([pass(ms), died])
    },
    /** Does all that is due by now; what a dead process had is taken over. */
    async runDue(): Promise<void> {
      // As the engine does it: the clock may have been set back.
      await store.work.makeDueAfterClockChange()
      for (let round = 0; round < 50; round += 1) {
        for (const lease of (await store.work.leases()).filter(({ id }) => !life.kept.has(id))) {
          const work = await store.work.takeOver(lease, life.own.owner)
          if (work) await attend(work)
        }
        const [work] = (await Array.fromAsync(store.work.claimDue(life.own.owner, life.kinds, 1))).flat()
        if (!work) return
        await attend(work)
      }
    },
  }
}
