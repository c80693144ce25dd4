import {
  card,
  commandButton,
  context,
  type Line,
  lineText,
  type Message,
  mrkdwnSection,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { statusEmoji } from '../../../../bot/views/check-facts.ts'
import { cmd } from '../../../../domain/command-names.ts'
import { type Environment, environmentSuffix } from '../../../../domain/environment.ts'
import type { CheckFacts, Unseen } from '../../../../domain/outages/outage.ts'
import { quoted } from '../../../../domain/quoting.ts'
import { pluralize } from '../../../../domain/wording.ts'
import { type Incident, isBlindness } from '../../rules/incident.ts'
import { formatChanged, formatFall } from '../../views/unseen.ts'
import { incidentName, listNames } from '../../views/words.ts'

/** `taken`: the checks that the person just took; empty if they were on them already. */
export const acknowledgedView = (taken: readonly Pick<CheckFacts, 'uuid' | 'name'>[]): Message =>
  card({
    headline: 'You’re on it. Nobody is paged while you are.',
    notes: taken.length > 1 ? [`Yours now: ${listNames(taken.map(incidentName))}.`] : [],
  })

// Also the answer if a retry after a crash finds that the person has already stepped down, or if the outages have moved.
const NOT_ON_IT = 'You aren’t on anything that this message still lists.'

export const steppedDownView = (count: number): Message =>
  card({
    headline:
      count > 0
        ? `You stepped down from ${pluralize(count, 'outage')}. If a watch pages people, escalation starts again with the first step.`
        : NOT_ON_IT,
  })

export const alreadyAcknowledgedView = (name: string, at: Date, line: string): Message =>
  card({
    headline: [`${name} has been on it since `, at, '. Nothing was changed.'],
    controls: [commandButton('Take over', line, { inPlace: true })],
  })

/** The maximum number of outages on App Home. */
const MAX_SHOWN = 5
/** One more than shown, to know whether there are more. */
export const MAX_OUTAGES_READ = MAX_SHOWN + 1

/** `🔴 Shop checkout is down · since 9:00 · you are on it`, or how it was when it was last seen. */
function describeTaken(incident: Incident, name: string, unseen: Unseen | undefined): Line {
  const { isDown, fell, up } = incident
  const state = isDown ? 'down' : 'up'
  if (unseen && !isBlindness(incident))
    return [`⚫ ${name} was ${state} when I last saw it, before `, unseen.since, ': you are on it']
  return [
    `${isDown ? statusEmoji('UNHEALTHY') : '🟢'} ${name} is ${state} · `,
    ...(isDown ? formatFall(incident, 'since') : formatChanged(up ?? fell, 'since')),
    ' · you are on it',
  ]
}

/** The App Home section with the newest outages that this person is on. `unseen`: the environments whose checks can't be seen. */
export const onItHomeBlocks = (
  acknowledged: readonly { readonly environment: Environment; readonly incident: Incident }[],
  unseen: ReadonlyMap<Environment, Unseen | undefined>,
): KnownBlock[] => [
  ...acknowledged.slice(0, MAX_SHOWN).map(({ environment, incident }) => {
    const { check } = incident
    const name = incidentName(check)
    return mrkdwnSection(
      lineText(describeTaken(incident, `${name}${environmentSuffix(environment)}`, unseen.get(environment))),
      check.uuid === ''
        ? undefined
        : commandButton('Show', `/hc show ${quoted(check.uuid)} --env ${environment}`, {
            accessibilityLabel: `Show ${name}`,
          }),
    )
  }),
  ...(acknowledged.length > MAX_SHOWN
    ? [context(`You’re on more than these ${MAX_SHOWN}. To see who is on which outage, use ${cmd('/hc')}.`)]
    : []),
]
