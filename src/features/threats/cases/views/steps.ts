import { commandButton } from '@signalman/slack'
import type { Button } from '@slack/types'
import type { ThreatCase } from '../../rows/case-rows.ts'
import { type CaseStepKind, stepsFrom } from '../case-steps.ts'

/** The steps that people take, each by the verb of its name; a note comes from the app itself. */
export type PersonalStep = Exclude<CaseStepKind, 'note'>

const LABELS: Readonly<Record<PersonalStep, string>> = {
  take: 'Take',
  'takedown-sent': 'Takedown sent',
  down: 'Down',
  'false-positive': 'False positive',
  release: 'Give back',
  reopen: 'Open again',
}
// The order of the buttons: first what carries the case on, then what ends it. `LABELS` has no key but these.
const ORDER = Object.keys(LABELS) as PersonalStep[]

/** A button for each step that the case can take now, without those that the viewer may not take. */
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

/** Names the version that was shown, so that nobody takes the case from a holder whom they did not see. */
export const takeOverLine = (eventId: string, version: number): string =>
  `/threat take ${eventId} --over ${version}`
