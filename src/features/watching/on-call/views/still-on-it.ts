import { card, commandButton, type Message } from '@signalman/slack'
import { checkName } from '../../../../bot/views/check-facts.ts'
import { type Environment, environmentSuffix } from '../../../../domain/environment.ts'
import type { Outage } from '../../../../domain/outages/outage.ts'
import { formatCount } from '../../../../domain/wording.ts'
import { channelLinkParts } from '../../views/words.ts'

/** The direct message to a person who has been on an outage for a day or longer. */
export function stillOnItView(
  { channelId, environment }: { channelId: string; environment: Environment },
  cardId: string,
  outages: readonly Outage[],
): Message {
  const [first] = outages
  const names =
    first && outages.length === 1
      ? `${checkName(first.check)}${environmentSuffix(environment)}`
      : `${formatCount(outages.length)} health checks${environmentSuffix(environment)}`
  const stillDown = outages.length === 1 ? 'is still down' : 'are still down'
  return card({
    headline: [
      'Still on it? ',
      names,
      ` ${stillDown}. You’re marked as on it in `,
      ...channelLinkParts(channelId),
    ],
    notes: [
      'While you’re on it, nobody is paged or reminded. If you aren’t anymore, step down or hand over.',
    ],
    controls: [
      commandButton('Step down', `/hc watch-step-down ${cardId}`),
      commandButton('Hand over…', `/hc watch-hand-over ${cardId}`),
    ],
  })
}
