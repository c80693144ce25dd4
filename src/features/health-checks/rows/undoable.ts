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
  return dropExpired(kept, now)
}

const undoableKey = (userId: string): string => `undoable of ${userId}`

/** Only `noteUndoable` writes these. */
const dropExpired = (kept: unknown, now: Date): Undoable[] =>
  ((kept ?? []) as Undoable[]).filter(({ until }) => until > now.toISOString())

/** Stores what `/hc undo` offers a person for this line; without `words`, removes the offer because it was undone. */
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
    const others = dropExpired(kept, now).filter((other) => other.line !== line)
    return [...(done ? [one] : []), ...others].slice(0, MOST_UNDOABLE)
  })
}

/** Moves the offers for these lines from one person to another. */
export async function moveUndoable(
  ephemeralState: EphemeralState,
  { workspaceId, now }: Omit<Person, 'userId'>,
  lines: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const state = { workspaceId, now, expiresAt: new Date(now.getTime() + JOBS_KEPT_MS) }
  const theirs = await undoables(ephemeralState, { workspaceId, userId: from, now })
  const moving = theirs.filter(({ line }) => lines.includes(line))
  if (moving.length === 0) return
  await ephemeralState.changeUnder(state, undoableKey(to), (kept) =>
    [...moving, ...dropExpired(kept, now).filter(({ line }) => !lines.includes(line))]
      .toSorted((left, right) => (left.at < right.at ? 1 : -1))
      .slice(0, MOST_UNDOABLE),
  )
  await ephemeralState.changeUnder(state, undoableKey(from), (kept) =>
    dropExpired(kept, now).filter(({ line }) => !lines.includes(line)),
  )
}
