import type { EphemeralState } from '@signalman/durable'
import { JOBS_KEPT_MS } from '../../../bot/retention/sweeping.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Carried, CarryChecks } from '../../../domain/outages/carry-checks.ts'
import type { Step } from '../rules/change.ts'

type Where = Pick<CommandContext, 'workspaceId' | 'environment' | 'now'>

/** `CarryChecks` that also remembers which check has replaced which, for as long as a change can be undone. */
export type MoveToReplacement = (of: Where, uuids: ReadonlyMap<string, string>) => Promise<Carried>

export const createMoveToReplacement =
  (ephemeralState: EphemeralState, carryChecks: CarryChecks): MoveToReplacement =>
  async (of, uuids) => {
    if (uuids.size === 0) return carryChecks(of, uuids)
    const expiresAt = new Date(of.now.getTime() + JOBS_KEPT_MS)
    const byKey = new Map([...uuids].map(([from, to]) => [placeKey(of, from), to]))
    await ephemeralState.saveUnder({ workspaceId: of.workspaceId, expiresAt }, byKey)
    return carryChecks(of, uuids)
  }

/** Points steps about deleted checks at their replacements. */
export async function redirectToReplacements(
  ephemeralState: EphemeralState,
  of: Where,
  steps: readonly Step[],
): Promise<Step[]> {
  const now = new Map<string, string>()
  let asked = steps.flatMap((step) => (step.do === 'create' ? [] : [step.uuid]))
  for (let round = 0; round < MOST_ROUNDS && asked.length > 0; round += 1) {
    const keys = new Map(asked.map((uuid) => [placeKey(of, uuid), uuid]))
    const found = await ephemeralState.findUnder(of.workspaceId, [...keys.keys()], of.now)
    // Only `carryReplaced` writes these, always text.
    for (const [key, to] of found) now.set(keys.get(key) ?? '', to as string)
    asked = [...found.values()] as string[]
  }
  const last = (uuid: string): string => {
    let at = uuid
    for (let round = 0; round < MOST_ROUNDS; round += 1) at = now.get(at) ?? at
    return at
  }
  return steps.map((step) => (step.do === 'create' ? step : { ...step, uuid: last(step.uuid) }))
}

/** Nobody deletes and restores a check more often than this within a week. */
const MOST_ROUNDS = 20

const placeKey = ({ environment }: Where, uuid: string): string =>
  `place of ${environment} ${uuid.toLowerCase()}`
