import {
  actions,
  card,
  clip,
  commandButton,
  context,
  type Line,
  lines,
  type Message,
  oneLine,
  textElement,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { LookedUp } from '../../../bot/access/reachable.ts'
import { checkName, statusEmoji } from '../../../bot/views/check-facts.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { getFallTime, type Incident, wasDownAtFirst } from '../../../domain/outages/incident.ts'
import type { CheckFacts, Unseen } from '../../../domain/outages/outage.ts'
import { formatCount, joinNames, pluralize } from '../../../domain/wording.ts'
import { formatResponders } from '../rules/decide-channel.ts'
import type { Responder } from '../rules/watch.ts'
import { type OpenCard, takeButtons } from './check-notes.ts'
import { incidentName, listNames } from './words.ts'

interface WhoIsOnIt {
  readonly down: readonly Incident[]
  /** The first of them. If nobody is on it, the card of this channel that lists it. */
  readonly shown: readonly { readonly incident: Incident; readonly card: OpenCard | undefined }[]
  readonly environment: Environment
  readonly unseen: Unseen | undefined
  readonly now: Date
}

/** Who is on what is down, with **I’m on it** below what nobody is on. */
export function whoView({ down, shown, environment, unseen, now }: WhoIsOnIt): Message {
  const cards = [...Map.groupBy(shown, ({ card }) => card?.id ?? '')].toSorted(([id]) => (id === '' ? 1 : -1))
  const rest = down.length - shown.length
  return card({
    headline: `${nameWho(down)}${environmentSuffix(environment)}.`,
    notes: unseen ? [['⚫ As of ', unseen.since, ': I can’t see the health checks since.']] : [],
    body: cards.map(([, [first, ...others]]) => [
      lines(...[first, ...others].flatMap((one) => (one ? [formatOnIt(one.incident)] : []))),
      ...actions(...takeButtons(first?.card)),
    ]),
    smallPrint: [
      ...(rest > 0 ? [`And ${pluralize(rest, 'more health check')}.`] : []),
      ...(down.some(({ onIt }) => onIt)
        ? ['To take over from someone, press “Take over” on the message about the outage.']
        : []),
      ['As of ', now],
    ],
  })
}

/** `Nobody is on 2 of 3 health checks that are down` */
function nameWho(down: readonly Incident[]): string {
  const free = down.filter(({ onIt }) => !onIt).length
  if (down.length === 0) return 'Nothing that Signalman watches is down'
  if (free === 0) return 'Everything that is down has somebody on it'
  const count = free < down.length ? `${formatCount(free)} of ${formatCount(down.length)}` : 'the'
  return down.length === 1 ? 'Nobody is on it' : `Nobody is on ${count} health checks that are down`
}

/** `🔴 web-1 · since 9:00 · Ann is on it since 9:05` */
const formatOnIt = (incident: Incident): Line => [
  `${statusEmoji('UNHEALTHY')} `,
  textElement(clip(checkName(incident.check), MAX_NAME), { bold: true }),
  wasDownAtFirst(incident) ? ' · since at least ' : ' · since ',
  getFallTime(incident),
  ...(incident.onIt
    ? [
        ` · ${clip(oneLine(incident.onIt.name || incident.onIt.by), MAX_NAME)} has been on it since `,
        incident.onIt.at,
      ]
    : [' · nobody is on it']),
]

const MAX_NAME = 80

/** The outages in App Home that the person is on. Empty if there are none. */
export const homeTakenBlocks = (
  taken: readonly { readonly environment: Environment; readonly incident: Incident }[],
): KnownBlock[] =>
  taken.length === 0
    ? []
    : [
        context('Outages that you’re on'),
        lines(
          ...taken.map(
            ({ environment, incident }): Line => [formatOnIt(incident), environmentSuffix(environment)],
          ),
        ),
      ]

/** `taken`: the checks that are down and that the person just took; empty if they were on them already. */
export const takenView = (taken: readonly Pick<CheckFacts, 'uuid' | 'name'>[]): Message =>
  card({
    headline: 'You’re on it. Nobody is paged while you are.',
    notes: taken.length > 0 ? [`Yours now: ${listNames(taken.map(incidentName))}.`] : [],
  })

/** Who gets the pages that somebody asked for. `owners` get those that nobody in the channel would hear of. */
export function pagedView(
  pages: readonly (LookedUp<Responder> & { readonly owners: readonly string[] })[],
): Message {
  const lines = pages.flatMap(({ reachable, not, unknown, owners }): Line[] => {
    const told = [...reachable, ...unknown.map(({ one }) => one)]
    const why = not.map(({ one, reason }) => `${one.name} ${reason}`).join(', ')
    const isDirect = told.length === 0
    return [
      ...(isDirect ? [[`Nobody in the channel can be paged: ${why}. `, ...nameOwners(owners)]] : []),
      ...(isDirect ? [] : [`Paging ${formatResponders(told)} now, in the channel.`]),
      ...(!isDirect && not.length > 0 ? [`Not paged: ${why}.`] : []),
      ...(unknown.length > 0
        ? [`Slack didn’t say whether it can notify ${joinNames(unknown.map(({ one }) => one.name))} there.`]
        : []),
    ]
  })
  const [headline = '', ...notes] = lines
  return card({ headline, notes })
}

/** `@Ann, who owns the watch, gets the page in a DM.` */
const nameOwners = (owners: readonly string[]) =>
  owners.length === 0
    ? ['An admin gets the page in a DM.']
    : [
        ...owners.flatMap((user_id, index) => [
          ...(index > 0 ? [', '] : []),
          { type: 'user', user_id } as const,
        ]),
        owners.length === 1
          ? ', who owns the watch, gets the page in a DM.'
          : ', who own the watches, get the page in a DM.',
      ]

export const steppedDownView = (count: number): Message =>
  card({
    headline:
      count > 0
        ? `You stepped down from ${pluralize(count, 'outage')}. Nobody is on ${count === 1 ? 'it' : 'them'} now.`
        : 'You aren’t on anything that this message lists.',
  })

export const alreadyTakenView = (name: string, at: Date, line: string): Message =>
  card({
    headline: [`${name} has been on it since `, at, '. Nothing was changed.'],
    controls: [commandButton('Take over', line, { inPlace: true })],
  })
