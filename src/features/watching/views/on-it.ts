import { card, commandButton, context, lineText, type Message, mrkdwnSection } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { statusEmoji } from '../../../bot/views/check-facts.ts'
import { cmd } from '../../../domain/command-names.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { getFallTime, type Incident } from '../../../domain/outages/incident.ts'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import { quoted } from '../../../domain/quoting.ts'
import { joinNames, pluralize } from '../../../domain/wording.ts'
import { incidentName, listNames } from './words.ts'

/** `taken`: the checks that are down and that the person just took; empty if they were on them already. */
export const takenView = (taken: readonly Pick<CheckFacts, 'uuid' | 'name'>[]): Message =>
  card({
    headline: 'You’re on it. Nobody is paged while you are.',
    notes: taken.length > 0 ? [`Yours now: ${listNames(taken.map(incidentName))}.`] : [],
  })

/** `paged`: the names of whom each page went to. */
export const pagedView = (paged: readonly string[]): Message =>
  card({ headline: `Paging ${joinNames(paged)} now, in the channel.` })

export const steppedDownView = (count: number): Message =>
  card({
    headline:
      count > 0
        ? `You stepped down from ${pluralize(count, 'outage')}. The channel is told that nobody is on it.`
        : 'You aren’t on anything that this message lists.',
  })

export const alreadyTakenView = (name: string, at: Date, line: string): Message =>
  card({
    headline: [`${name} has been on it since `, at, '. Nothing was changed.'],
    controls: [commandButton('Take over', line, { inPlace: true })],
  })

const MAX_SHOWN = 5
/** One more than shown, to know whether there are more. */
export const MAX_OUTAGES_READ = MAX_SHOWN + 1

/** The App Home section with the newest outages that this person is on. */
export const onItHomeBlocks = (
  taken: readonly { readonly environment: Environment; readonly incident: Incident }[],
): KnownBlock[] => [
  ...taken.slice(0, MAX_SHOWN).map(({ environment, incident }) => {
    const { check, isDown } = incident
    const name = `${incidentName(check)}${environmentSuffix(environment)}`
    const state = isDown ? `${statusEmoji('UNHEALTHY')} ${name} is down` : `🟢 ${name} is up`
    return mrkdwnSection(
      lineText([
        `${state} · since `,
        (isDown ? undefined : incident.downs.at(-1)?.to) ?? getFallTime(incident),
        ' · you are on it',
      ]),
      check.uuid === ''
        ? undefined
        : commandButton('Show', `/hc show ${quoted(check.uuid)} --env ${environment}`, {
            accessibilityLabel: `Show ${name}`,
          }),
    )
  }),
  ...(taken.length > MAX_SHOWN
    ? [context(`You’re on more than these ${MAX_SHOWN}. To see who is on what, use ${cmd('/hc')}.`)]
    : []),
]
