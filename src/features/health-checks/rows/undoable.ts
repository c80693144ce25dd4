import type { EphemeralState } from '@signalman/durable'
import { JOBS_KEPT_MS } from '../../../bot/retention/sweeping.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Undoable } from '../rules/job.ts'

type Person = Pick<CommandContext, 'workspaceId' | 'userId' | 'now'>

const MOST_UNDOABLE = 5

/** The latest first. */
export async function undoables(
  ephemeralState: EphemeralState,
  { workspaceId, userId, now }: Person,
): Promise<Undoable[]> {
  const [kept] = (await ephemeralState.findUnder(workspaceId, [undoableKey(userId)], now)).values()
  return stillUndoable(kept, now)
}

const undoableKey = (userId: string): string => `undoable of ${userId}`

/** Written by `noteUndoable` alone. */
const stillUndoable = (kept: unknown, now: Date): Undoable[] =>
  ((kept ?? []) as Undoable[]).filter(({ until }) => until > now.toISOString())

/** Remembers for `/hc undo` what was done; without it, that it was undone. */
export async function noteUndoable(
  ephemeralState: EphemeralState,
  { workspaceId, userId, now }: Person,
  line: string,
  done?: { says: string; asks: string; forMs: number },
): Promise<void> {
  const after = (ms: number): Date => new Date(now.getTime() + ms)
  const state = { workspaceId, now, expiresAt: after(JOBS_KEPT_MS) }
  const { says = '', asks = '', forMs = 0 } = done ?? {}
  const one: Undoable = { line, says, asks, at: now.toISOString(), until: after(forMs).toISOString() }
  await ephemeralState.changeUnder(state, undoableKey(userId), (kept) => {
    const others = stillUndoable(kept, now).filter((other) => other.line !== line)
    return [...(done ? [one] : []), ...others].slice(0, MOST_UNDOABLE)
  })
}
