import type { EphemeralState } from '@signalman/durable'
import { JOBS_KEPT_MS } from '../../../bot/retention/sweeping.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Undoable } from '../rules/job.ts'

type Person = Pick<CommandContext, 'workspaceId' | 'userId' | 'now'>

const MAX_UNDOABLE = 5

/** The changes that a person can undo, latest first. */
export async function findUndoable(
  ephemeralState: EphemeralState,
  { workspaceId, userId, now }: Person,
): Promise<Undoable[]> {
  const [stored] = (await ephemeralState.findByKeys(workspaceId, [undoableKey(userId)], now)).values()
  return dropExpired(stored, now)
}

const undoableKey = (userId: string): string => `undoable of ${userId}`

// Cast, because only this file writes these.
const dropExpired = (stored: unknown, now: Date): Undoable[] =>
  ((stored ?? []) as Undoable[]).filter(({ until }) => until > now.toISOString())

/** Offers to undo a change with a command line in a person's `/hc undo`. Without `change`, removes the offer. */
export async function saveUndoable(
  ephemeralState: EphemeralState,
  { workspaceId, userId, now }: Person,
  line: string,
  change?: { summary: string; confirmation: string; validForMs: number },
): Promise<void> {
  const fromNow = (ms: number): Date => new Date(now.getTime() + ms)
  const state = { workspaceId, now, expiresAt: fromNow(JOBS_KEPT_MS) }
  const { summary = '', confirmation = '', validForMs = 0 } = change ?? {}
  const undoable: Undoable = {
    line,
    summary,
    confirmation,
    at: now.toISOString(),
    until: fromNow(validForMs).toISOString(),
  }
  await ephemeralState.updateByKey(state, undoableKey(userId), (stored) => {
    const others = dropExpired(stored, now).filter((other) => other.line !== line)
    return [...(change ? [undoable] : []), ...others].slice(0, MAX_UNDOABLE)
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
  const offered = await findUndoable(ephemeralState, { workspaceId, userId: from, now })
  const moved = offered.filter(({ line }) => lines.includes(line))
  if (moved.length === 0) return
  await ephemeralState.updateByKey(state, undoableKey(to), (stored) =>
    [...moved, ...dropExpired(stored, now).filter(({ line }) => !lines.includes(line))]
      .toSorted((left, right) => (left.at < right.at ? 1 : -1))
      .slice(0, MAX_UNDOABLE),
  )
  await ephemeralState.updateByKey(state, undoableKey(from), (stored) =>
    dropExpired(stored, now).filter(({ line }) => !lines.includes(line)),
  )
}
