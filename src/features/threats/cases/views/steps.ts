import type { Button } from '@slack/types'
import { commandButton } from '../../../../blocks/command-buttons.ts'
import { type CaseStepKind, stepsFrom } from '../../../../domain/threat-case.ts'
import type { ThreatCase } from '../../../../store/store.ts'

/** The steps that people take, each by the verb of its name; what is seen by itself is a step too. */
export type PersonalStep = Exclude<CaseStepKind, 'note'>

const LABELS: Readonly<Record<PersonalStep, string>> = {
  take: 'Take',
  'takedown-sent': 'Takedown sent',
  down: 'Down',
  'false-positive': 'False positive',
  release: 'Give back',
  reopen: 'Open again',
}
// As it is pressed: what goes on first, what ends it behind.
const ORDER = Object.keys(LABELS) as PersonalStep[]

/** What can be done about a case from where it is, each by its button; what is shown to somebody leaves out what they may not. */
export function stepButtons(
  eventId: string,
  found: ThreatCase | undefined,
  viewerId: string | undefined,
): Button[] {
  const steps = stepsFrom(found?.state)
  return ORDER.filter((step) => steps.includes(step)).flatMap((step): Button[] => {
    const holder = found?.holder
    if (step === 'take' && holder)
      return holder.userId === viewerId
        ? []
        : [commandButton('Take over', takeOverLine(eventId, found.version), { inPlace: true })]
    if (step === 'release' && (!holder || (viewerId !== undefined && holder.userId !== viewerId))) return []
    return [
      commandButton(LABELS[step], `/threat ${step} ${eventId}`, {
        inPlace: true,
        ...(step === 'take' && { style: 'primary' }),
      }),
    ]
  })
}

/** Names the case as it was seen: nobody takes it from whom they did not see with it. */
export const takeOverLine = (eventId: string, version: number): string =>
  `/threat take ${eventId} --over ${version}`
