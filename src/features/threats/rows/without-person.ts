import { sameName } from '@signalman/durable'
import type { CasePerson } from '../cases/case-steps.ts'
import type { ThreatCase } from './case-rows.ts'

/** Replaces a person who was erased. */
export const NOBODY: CasePerson = { userId: 'erased', name: 'somebody' }

/** Undefined where the case does not name them. */
export function withoutPerson(
  found: ThreatCase,
  userId: string,
  alsoKnownAs: readonly string[],
): ThreatCase | undefined {
  const { holder, steps } = found
  const own = [holder, ...steps.map(({ by }) => by)].flatMap((one) =>
    one?.userId === userId ? [one.name] : [],
  )
  // In a long history the person's own steps may be gone, while the step that took the case from them is still there.
  const names = new Set([...own, ...alsoKnownAs].map(sameName))
  const isTheirs = (name: string | undefined) => name !== undefined && names.has(sameName(name))
  if (own.length === 0 && !steps.some(({ from }) => isTheirs(from))) return undefined
  return {
    ...found,
    holder: holder?.userId === userId ? NOBODY : holder,
    steps: steps.map((step) => ({
      ...step,
      by: step.by?.userId === userId ? NOBODY : step.by,
      from: isTheirs(step.from) ? NOBODY.name : step.from,
    })),
  }
}
