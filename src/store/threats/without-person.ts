import type { CasePerson, CaseStep } from '../../domain/threat-case.ts'
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
  const names = new Set([...own, ...alsoKnownAs])
  if (own.length === 0 && !steps.some(({ from }) => from !== undefined && names.has(from))) return undefined
  return {
    ...found,
    holder: holder?.userId === userId ? NOBODY : holder,
    steps: steps.map((step) => ({
      ...(step.by?.userId === userId ? byNobody(step, step.by) : step),
      from: step.from !== undefined && names.has(step.from) ? NOBODY.name : step.from,
    })),
  }
}

/** Old notes end with the name of the person who took the step; elsewhere a name may be part of another word. */
function byNobody(step: CaseStep, { name }: CasePerson): CaseStep {
  const ending = ` by ${name}`
  const { says } = step
  return { ...step, by: NOBODY, says: says?.endsWith(ending) ? says.slice(0, -ending.length) : says }
}

/** The end of old notes, whose text still named the person who took the step. */
const NAMED = /(; (?:begun|ended)) by .+$/s

/** Undefined where no note ends so: the name of an erased person is nowhere else. */
export function withoutLeftNames(found: ThreatCase): ThreatCase | undefined {
  const isNamed = ({ kind, by, says = '' }: CaseStep): boolean =>
    kind === 'note' && by?.userId === NOBODY.userId && NAMED.test(says)
  if (!found.steps.some(isNamed)) return undefined
  const steps = found.steps.map((step) =>
    isNamed(step) ? { ...step, says: step.says?.replace(NAMED, '$1') } : step,
  )
  return { ...found, steps }
}
