import { rankSeverity } from '../../../../src/features/threats/rules/event-snapshot.ts'
import { factsOnly } from '../../../../src/features/threats/rules/shown-event.ts'
import {
  type CasePerson,
  type CaseStep,
  type CaseStepKind,
  statusAfterStep,
  type ThreatCase,
} from '../../../../src/features/threats/rules/threat-case.ts'
import { toSnapshot } from '../../../../src/features/threats/views/card.ts'
import type { ThreatEvent } from '../../../../src/service/threat-event.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const NOW = new Date('2026-11-20T12:00:00Z')

/** A step of a case, the person who took it, and what they typed. */
type SampleStep = readonly [kind: CaseStepKind, by: CasePerson, text?: string]

export async function createSampleCase(
  event: ThreatEvent,
  ...sampleSteps: readonly SampleStep[]
): Promise<ThreatCase> {
  const facts = factsOnly(event)
  let status: Pick<ThreatCase, 'state' | 'holder' | 'version'> = {
    state: 'open',
    holder: undefined,
    version: 0,
  }
  const steps: CaseStep[] = []
  for (const [kind, by, text] of sampleSteps) {
    const after = statusAfterStep(status, { kind, by, seenVersion: status.version })
    if ('refusal' in after) throw new Error(`${kind} isn’t possible: ${after.refusal}.`)
    const version = status.version + 1
    status = { ...after, version }
    steps.push({ version, kind, by, at: NOW, text, reference: `r${version}` })
  }
  return {
    ...{
      id: 'case',
      workspaceId: 'T1',
      enterpriseId: undefined,
      environment: 'production',
      eventId: ID,
      domainKey: '',
    },
    ...{ ...status, severity: rankSeverity(event), openedAt: NOW, changedAt: NOW, card: undefined },
    ...{ shownVersion: 0, postedVersion: 0, steps },
    event: toSnapshot(facts, { id: ID, now: NOW, readAt: NOW }),
  }
}
