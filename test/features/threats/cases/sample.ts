import { NOT_POSTED } from '../../../../src/features/threats/rows/tables.ts'
import {
  type CasePerson,
  type CaseStatus,
  type CaseStep,
  type CaseStepKind,
  statusAfterStep,
} from '../../../../src/features/threats/rules/case-steps.ts'
import { type EventSnapshot, rankSeverity } from '../../../../src/features/threats/rules/event-snapshot.ts'
import { eventForMembers, factsOnly } from '../../../../src/features/threats/rules/shown-event.ts'
import type { ThreatCase } from '../../../../src/features/threats/rules/threat-case.ts'
import { toStoredCard } from '../../../../src/features/threats/views/card.ts'
import type { ThreatEvent } from '../../../../src/service/threat-event.ts'

export const ID = '7e57ed00-0000-4000-8000-00000000000a'
export const NOW = new Date('2026-11-20T12:00:00Z')
export const ANN: CasePerson = { userId: 'U1', name: 'Ann' }
export const BEN: CasePerson = { userId: 'U2', name: 'Ben' }

/** A step of a case, the person who took it, the minutes after `NOW`, and the text of its note. */
export type SampleStep = readonly [
  kind: CaseStepKind,
  by: CasePerson | undefined,
  minutes?: number,
  noteText?: string,
]

/** Creates a case of the event after these steps. Its card was read at `NOW`. */
export async function createSampleCase(
  event: ThreatEvent,
  ...sampleSteps: readonly SampleStep[]
): Promise<ThreatCase> {
  const facts = factsOnly(await eventForMembers(event))
  const eventSnapshot: EventSnapshot = {
    domain: event.domain,
    reportedAt: event.date?.toISOString(),
    targets: [],
    card: toStoredCard(facts, { id: ID, now: NOW, readAt: NOW }),
    picture: undefined,
  }
  const steps: CaseStep[] = []
  let status: CaseStatus | undefined
  for (const [index, [kind, by, minutes = 0, noteText]] of sampleSteps.entries()) {
    const previousHolder = kind === 'take' ? status?.holder?.name : undefined
    const after = statusAfterStep(status, kind, by)
    if (!after) throw new Error(`${kind} isn’t possible from ${status?.state ?? 'no case'}.`)
    status = after
    const at = new Date(NOW.getTime() + minutes * 60_000)
    steps.push({ version: index + 1, kind, by, at, previousHolder, noteText, reference: `r${index}` })
  }
  if (!status) throw new Error('A case needs a first step.')
  const [first] = steps
  return {
    ...status,
    id: 'case',
    workspaceId: 'T1',
    enterpriseId: undefined,
    environment: 'production',
    eventId: ID,
    severity: rankSeverity(event),
    version: steps.length,
    openedAt: first?.at ?? NOW,
    changedAt: steps.at(-1)?.at ?? NOW,
    card: undefined,
    ...NOT_POSTED,
    badReadings: 0,
    steps,
    eventSnapshot,
  }
}
