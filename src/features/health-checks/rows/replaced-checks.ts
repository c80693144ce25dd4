import type { EphemeralState } from '@signalman/durable'
import { JOBS_KEPT_MS } from '../../../bot/retention/sweeping.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { MovedWatches, MoveWatches } from '../../../domain/outages/move-watches.ts'
import type { Step } from '../rules/change.ts'

type Scope = Pick<CommandContext, 'workspaceId' | 'environment' | 'now'>

/**
 * Moves watches from deleted checks to the checks that replace them. Also stores the replacements for as long as a change can be
 * undone. `uuids` maps each deleted check to its replacement.
 */
export type MoveToReplacements = (scope: Scope, uuids: ReadonlyMap<string, string>) => Promise<MovedWatches>

export const createMoveToReplacements =
  (ephemeralState: EphemeralState, moveWatches: MoveWatches): MoveToReplacements =>
  async (scope, uuids) => {
    if (uuids.size === 0) return moveWatches(scope, uuids)
    const expiresAt = new Date(scope.now.getTime() + JOBS_KEPT_MS)
    const byKey = new Map([...uuids].map(([from, to]) => [replacementKey(scope, from), to]))
    await ephemeralState.saveByKey({ workspaceId: scope.workspaceId, expiresAt }, byKey)
    return moveWatches(scope, uuids)
  }

/** Replaces the UUIDs of deleted checks in steps with the UUIDs of the checks that replaced them. */
export async function redirectToReplacements(
  ephemeralState: EphemeralState,
  scope: Scope,
  steps: readonly Step[],
): Promise<Step[]> {
  const replacements = new Map<string, string>()
  let uuids = steps.flatMap((step) => (step.do === 'create' ? [] : [step.uuid]))
  for (let round = 0; round < MAX_REPLACEMENTS && uuids.length > 0; round += 1) {
    const keys = new Map(uuids.map((uuid) => [replacementKey(scope, uuid), uuid]))
    const found = await ephemeralState.findByKeys(scope.workspaceId, [...keys.keys()], scope.now)
    // Cast, because only `createMoveToReplacements` writes these, always as strings.
    for (const [key, to] of found) replacements.set(keys.get(key) ?? '', to as string)
    uuids = [...found.values()] as string[]
  }
  const findLatest = (uuid: string): string => {
    let current = uuid
    for (let round = 0; round < MAX_REPLACEMENTS; round += 1) current = replacements.get(current) ?? current
    return current
  }
  return steps.map((step) => (step.do === 'create' ? step : { ...step, uuid: findLatest(step.uuid) }))
}

/** Limits the chain of replacements. Nobody deletes and restores a check more often than this while a change can be undone. */
const MAX_REPLACEMENTS = 20

const replacementKey = ({ environment }: Scope, uuid: string): string =>
  `place of ${environment} ${uuid.toLowerCase()}`
