import type { Store } from '../../../../src/app/store.ts'
import type { Every } from '../../../../src/features/watching/maintenance/rules.ts'
import type { MuteSubject } from '../../../../src/features/watching/rules/watch.ts'
import type { Reference, Silence } from './reference.ts'

const MINUTE_MS = 60_000
const SCOPE = { workspaceId: 'T1', environment: 'production' } as const

/** What maintenance may be about, and what that covers. */
const ABOUT: readonly { about: MuteSubject; covers: (uuid: string) => boolean }[] = [
  { about: { kind: 'all' }, covers: () => true },
  { about: { kind: 'name', pattern: 'check-a*' }, covers: (uuid) => uuid.startsWith('a') },
  { about: { kind: 'check', uuid: 'b1', name: 'check-b1' }, covers: (uuid) => uuid === 'b1' },
]

export interface Plan {
  about: number
  inMinutes: number
  forMinutes: number
  /** Undefined: for every channel. */
  channel: string | undefined
  every: Every | undefined
}

interface Window extends Silence {
  from: Date
  to: Date
  hasBegun: () => boolean
}

/** Plans of maintenance, as the store has them, and as the reference is told of them. */
export function createPlanned(parts: {
  maintenance: Store['watching']['maintenance']
  reference: Reference
  now: () => Date
  onFault: (fault: unknown) => void
}) {
  const { maintenance, reference, now, onFault } = parts
  const windows = new Map<string, Window>()
  let changedAt = now()
  const plans = new Map<string, Plan>()

  function windowOf(plan: Plan, from: Date, to: Date, before?: Window): Window {
    let begun = before?.hasBegun() ?? false
    const hasBegun = (): boolean => {
      if (!begun && now() >= from) changedAt = now()
      begun ||= now() >= from
      return begun
    }
    return { channel: plan.channel, covers: ABOUT[plan.about]?.covers ?? (() => false), from, to, hasBegun }
  }

  const planOf = (
    { about, inMinutes, forMinutes, every }: Plan,
    from = now().getTime() + inMinutes * MINUTE_MS,
  ) => ({
    about: ABOUT[about]?.about ?? { kind: 'all' as const },
    from: new Date(from),
    forMs: forMinutes * MINUTE_MS,
    every,
    timeZone: 'UTC',
    because: 'database upgrade',
  })

  /** What has become of windows, which only their own time and people decide. */
  async function sync(): Promise<void> {
    const open = await maintenance.list(SCOPE.workspaceId)
    const gone = [...windows].filter(([id]) => !open.some((one) => one.id === id))
    for (const [id, { to }] of gone) {
      if (to > now()) onFault(`The window ${id} ended before its time.`)
      ended(id)
    }
    for (const { id, planId, from, to } of open) {
      const plan = plans.get(planId)
      // Planned past the model, which then says nothing of it.
      if (!plan) continue
      if (!windows.has(id)) begins(id, windowOf(plan, from, to))
    }
  }

  function begins(id: string, window: Window): void {
    changedAt = now()
    windows.set(id, window)
    reference.silence(id, window)
  }

  function ended(id: string): void {
    changedAt = now()
    windows.delete(id)
    reference.silenceEnded(id)
  }

  /** The plan that was made last in a slot, unless it is over. */
  async function openIn(slot: number) {
    const name = [...plans.keys()].findLast((one) => one.startsWith(`${slot} `))
    return name === undefined ? undefined : maintenance.find(SCOPE.workspaceId, name)
  }

  return {
    /** Time has passed: what begins has begun, however clocks are set afterwards. */
    look(): void {
      for (const { hasBegun } of windows.values()) hasBegun()
    },
    /** Something began or ended so short a time ago that channels may not have heard of it. */
    isFresh: (): boolean => Math.abs(now().getTime() - changedAt.getTime()) < 3 * MINUTE_MS,
    windows,
    sync,
    /** Plans, or changes what is planned: what has begun has begun. */
    async plan(slot: number, plan: Plan): Promise<void> {
      const open = await openIn(slot)
      if (!open) {
        const name = `${slot} ${plans.size}`
        plans.set(name, plan)
        const by = { ownerId: 'U1', ownerName: 'Ann', madeAt: now(), planId: name }
        await maintenance.add({ ...SCOPE, ...by, channelId: plan.channel, ...planOf(plan) })
        return sync()
      }
      const hasBegun = windows.get(open.id)?.hasBegun() ?? false
      const changed = { ...plan, channel: open.channelId }
      const given = planOf(changed, hasBegun ? open.from.getTime() : undefined)
      const known = windows.get(open.id)
      plans.set(open.planId, changed)
      await maintenance.change(SCOPE.workspaceId, open.planId, given)
      const window = windowOf(changed, given.from, new Date(given.from.getTime() + given.forMs), known)
      windows.set(open.id, window)
      reference.silenceChanged(open.id, window)
      return sync()
    },
    /** Ends what is under way, or calls off what is planned. */
    async end(slot: number, isPlan: boolean): Promise<void> {
      const open = await openIn(slot)
      if (!open) return
      await maintenance.end(SCOPE.workspaceId, open.id, { isPlan, now: now() })
      ended(open.id)
      await sync()
    },
  }
}
