import type { CasePerson, CaseStep } from '../../domain/threat-case.ts'
import type { ThreatCase } from './case-rows.ts'

/** Stands where a person was. */
export const NOBODY: CasePerson = { userId: 'erased', name: 'somebody' }

/** Undefined where they do not stand in it. */
export function withoutPerson(
  found: ThreatCase,
  userId: string,
  alsoKnownAs: readonly string[],
): ThreatCase | undefined {
  const { holder, steps } = found
  const own = [holder, ...steps.map(({ by }) => by)].flatMap((one) =>
    one?.userId === userId ? [one.name] : [],
  )
  // Of a long history the steps in which they stood may be gone, and not the one that took the case over from them.
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

/** The words of notes ended with the name of whoever took the step; elsewhere in them a name may be a part of a word. */
function byNobody(step: CaseStep, { name }: CasePerson): CaseStep {
  const ending = ` by ${name}`
  const { says } = step
  return { ...step, by: NOBODY, says: says?.endsWith(ending) ? says.slice(0, -ending.length) : says }
}

/** How notes ended that named who took the step, when this was still a part of their words. */
const NAMED = /(; (?:begun|ended)) by .+$/s

/** Undefined where there is none: a name of somebody who is erased stands in no other place. */
export function withoutLeftNames(found: ThreatCase): ThreatCase | undefined {
  const isNamed = ({ kind, by, says = '' }: CaseStep): boolean =>
    kind === 'note' && by?.userId === NOBODY.userId && NAMED.test(says)
  if (!found.steps.some(isNamed)) return undefined
  const steps = found.steps.map((step) =>
    isNamed(step) ? { ...step, says: step.says?.replace(NAMED, '$1') } : step,
  )
  return { ...found, steps }
}
