import { clip, date, joinLines, type Line, oneLine, textElement } from '@signalman/slack'
import type { OnIt } from '../../../domain/outages/outage.ts'
import { pluralize } from '../../../domain/wording.ts'
import type { CardModel, ShownSilence } from '../rules/describe-card.ts'
import { isBlindness } from '../rules/incident.ts'
import type { Silence } from '../rules/silence.ts'
import { type CurrentChannels, describeCoverage, describeEnd, joinParts } from './words.ts'

export const MAX_TEXT = 120

/** Who is on what is down, who is paged next, and what silences it. */
export function statusLines({ onIt, silence, nextPage, downCount, rows }: CardModel): Line[] {
  const [first] = onIt
  const isAnyDown = downCount > 0 || rows.some((incident) => isBlindness(incident) && incident.isDown)
  const pageTime = nextPage?.at ?? 'once I can see the health checks again'
  const paged: Line = nextPage ? [` Pages ${clip(oneLine(nextPage.names), MAX_TEXT)} `, pageTime, '.'] : []
  const people: Line =
    first && onIt.length === 1
      ? [`${getPersonName(first)} is on it since `, first.at, '.']
      : joinAll('On it: ', joinLines(onIt.map(formatOnIt), '; '))
  return [
    ...(first ? [people] : []),
    ...(!first && isAnyDown ? [joinAll('Nobody is on it.', paged)] : []),
    ...(first && nextPage ? [joinAll('Nobody is on the others.', paged)] : []),
    ...(silence
      ? [
          joinAll(
            silence.kind === 'maintenance' ? 'Maintenance: ' : 'Muted: ',
            describeSilence(silence, [silence.channelId]),
          ),
        ]
      : []),
  ]
}

/** Joins lines without a separator. */
export const joinAll = (...parts: readonly Line[]): Line => joinLines(parts, [])

/** How many incidents are on newer cards now, with links, and how many the channel doesn't watch anymore. */
export const movedLines = ({ movedTo, unwatchedCount }: CardModel): Line[] => [
  ...movedTo.map(({ channelId, ts, count }): Line => {
    const url = ts && `https://slack.com/archives/${channelId}/p${ts.replace('.', '')}`
    const verb = `${pluralize(count, 'incident')} moved to `
    return url ? [verb, { type: 'link', url, text: 'a newer message' }] : `${verb}a newer message`
  }),
  ...(unwatchedCount > 0
    ? [
        `${pluralize(unwatchedCount, 'incident')} ${unwatchedCount === 1 ? 'is' : 'are'} no longer watched here`,
      ]
    : []),
]

/** What a silence covers, when it ends or begins, and why. */
export const describeSilence = (silence: ShownSilence | Silence, here: CurrentChannels): Line =>
  joinParts(
    ...describeCoverage(silence, here),
    ', ',
    ...('from' in silence && silence.state !== 'running' ? ['from ', silence.from] : describeEnd(silence.to)),
    ...(silence.reason ? [`: ${clip(oneLine(silence.reason), MAX_TEXT)}`] : []),
  )

export const formatOnIt = (person: OnIt): Line => [
  textElement(`${getPersonName(person)}, since `),
  date(person.at),
]

/** A name, never a mention: you're never @-mentioned for your own action. */
export const getPersonName = ({ by, name }: Pick<OnIt, 'by' | 'name'>): string => name || by
