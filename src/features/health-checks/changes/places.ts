import type { EphemeralState } from '@signalman/durable'
import { JOBS_KEPT_MS } from '../../../bot/retention/sweeping.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Carried, CarryChecks } from '../../../domain/outages/carry-checks.ts'
import type { Change } from './change.ts'

type Where = Pick<CommandContext, 'workspaceId' | 'environment' | 'now'>

/** `CarryChecks`, which also remembers for as long as anything can be undone what has taken the place of what. */
export type TakePlaces = (of: Where, uuids: ReadonlyMap<string, string>) => Promise<Carried>

export const takePlaces =
  (ephemeralState: EphemeralState, carryChecks: CarryChecks): TakePlaces =>
  async (of, uuids) => {
    const expiresAt = new Date(of.now.getTime() + JOBS_KEPT_MS)
    const byKey = new Map([...uuids].map(([from, to]) => [keyOf(of, from), to]))
    await ephemeralState.saveUnder({ workspaceId: of.workspaceId, expiresAt }, byKey)
    return carryChecks(of, uuids)
  }

/** The changes, each of the check that is in the place of its own where that was deleted and brought back. */
export async function inTheirPlaces<T extends { readonly change: Change }>(
  ephemeralState: EphemeralState,
  of: Where,
  changes: readonly T[],
): Promise<T[]> {
  const now = new Map<string, string>()
  let asked = changes.flatMap(({ change }) => (change.do === 'create' ? [] : [change.uuid]))
  for (let round = 0; round < MOST_ROUNDS && asked.length > 0; round += 1) {
    const keys = new Map(asked.map((uuid) => [keyOf(of, uuid), uuid]))
    const found = await ephemeralState.findUnder(of.workspaceId, [...keys.keys()], of.now)
    // Written by `takePlaces` alone, hence texts.
    for (const [key, to] of found) now.set(keys.get(key) ?? '', to as string)
    asked = [...found.values()] as string[]
  }
  const last = (uuid: string): string => {
    let at = uuid
    for (let round = 0; round < MOST_ROUNDS; round += 1) at = now.get(at) ?? at
    return at
  }
  return changes.map((one) =>
    one.change.do === 'create' ? one : { ...one, change: { ...one.change, uuid: last(one.change.uuid) } },
  )
}

/** What a person has done and can undo: what was done, the line of its button, and what the button asks first. */
export interface Undoable {
  line: string
  says: string
  asks: string
  /** ISO texts. */
  at: string
  until: string
}

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

/** A check that was deleted and brought back more often than this within a week is somebody's game. */
const MOST_ROUNDS = 20

const keyOf = ({ environment }: Where, uuid: string): string =>
  `place of ${environment} ${uuid.toLowerCase()}`
