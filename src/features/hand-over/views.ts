import {
  card,
  clip,
  commandButton,
  type Line,
  lineElements,
  lineText,
  type Message,
  oneLine,
} from '@signalman/slack'
import type { HeldThing } from '../../bot/routes/routes.ts'
import { cmd } from '../../domain/command-names.ts'
import { badgeOf } from '../../domain/environment.ts'
import { formatCount, pluralize } from '../../domain/wording.ts'
import { digestOwned, type HandedOver, type OwnedThings, type People } from './rules/owned.ts'

const MAX_SHOWN = 10
const MAX_NAME_LENGTH = 80

const formatName = (name: string): string => clip(oneLine(name), MAX_NAME_LENGTH)

const isMovable = ({ whyNot }: HeldThing): boolean => whyNot === undefined

/** The preview, with the button that applies it. */
export function previewView(people: People, owned: readonly OwnedThings[]): Message {
  const [from, to] = [formatName(people.from.name), formatName(people.to.name)]
  const movable = owned.flatMap(({ things }) => things.filter(isMovable))
  const staying = owned.flatMap(({ things }) => things.filter((thing) => !isMovable(thing)))
  const ids = `${people.from.userId} ${people.to.userId}`
  const isTruncated =
    owned.some(({ things }) => things.filter(isMovable).length > MAX_SHOWN) || staying.length > MAX_SHOWN
  if (movable.length + staying.length === 0)
    return card({
      headline: `${from} doesn’t have anything to hand over.`,
      smallPrint: [COVERED_KINDS_NOTE],
    })
  return card({
    headline:
      movable.length === 0
        ? `${to} can’t take over anything from ${from}.`
        : `Hand over ${pluralize(movable.length, 'thing')} from ${from} to ${to}? Nothing has changed yet.`,
    notes: [
      ...owned.flatMap(({ one, many, things }) => kindLines(one, many, things.filter(isMovable))),
      ...(staying.length > 0 ? [`Stays with ${from}:`, ...staying.slice(0, MAX_SHOWN).map(stayingLine)] : []),
      ...(staying.length > MAX_SHOWN ? [`And ${formatCount(staying.length - MAX_SHOWN)} more.`] : []),
      ...owned.flatMap(({ notes }) => notes),
    ],
    smallPrint: [COVERED_KINDS_NOTE],
    controls: [
      ...(movable.length > 0
        ? [
            commandButton('Hand over', `/hc handover-start ${ids} --seen ${digestOwned(owned)}`, {
              style: 'primary',
            }),
          ]
        : []),
      ...(isTruncated
        ? [
            commandButton(
              `All ${formatCount(movable.length + staying.length)} as a file`,
              `/hc handover-file ${ids}`,
            ),
          ]
        : []),
      commandButton('Refresh', `/hc handover ${ids}`, { inPlace: true }),
    ],
  })
}

const COVERED_KINDS_NOTE =
  'This covers open certificate orders, open threat cases, outages they’re on, watches in channels, and changes of health checks that can be continued or undone.'

/** `3 watches: web-* in #ops, …`. */
const kindLines = (one: string, many: string, things: readonly HeldThing[]): Line[] =>
  things.length === 0 ? [] : [[`${pluralize(things.length, one, many)}: `, ...listThings(things)]]

function listThings(things: readonly HeldThing[]): Extract<Line, readonly unknown[]> {
  const shown = things.slice(0, MAX_SHOWN)
  const more = things.length - shown.length
  return [
    ...shown.flatMap((thing, index) => [...(index > 0 ? [', '] : []), ...thingElements(thing)]),
    ...(more > 0 ? [`, and ${formatCount(more)} more`] : []),
  ]
}

const thingElements = ({ name, environment }: HeldThing) => [...lineElements(name), badgeOf(environment)]

const stayingLine = (thing: HeldThing): Line => ['• ', ...thingElements(thing), `: ${thing.whyNot}`]

/** Shows what was transferred. */
export function handedOverView(
  people: People,
  handedOver: readonly HandedOver[],
  unreached: readonly string[],
): Message {
  const [from, to] = [formatName(people.from.name), formatName(people.to.name)]
  const count = handedOver.reduce((sum, { given }) => sum + given.length, 0)
  const requested = handedOver.reduce((sum, one) => sum + one.asked, 0)
  return card({
    headline:
      count === requested
        ? `Handed over ${pluralize(count, 'thing')} from ${from} to ${to}.`
        : `Handed over ${formatCount(count)} of ${pluralize(requested, 'thing')} from ${from} to ${to}.`,
    notes: [
      ...handedOver.flatMap(({ one, many, given }) => kindLines(one, many, given)),
      ...(count < requested
        ? [
            `${pluralize(requested - count, 'other', 'others')} changed in the meantime, so nothing was done about them. The audit log names them.`,
          ]
        : []),
      ...(unreached.length > 0
        ? [`Signalman couldn’t send a DM to ${unreached.map(formatName).join(' and ')}.`]
        : []),
    ],
    controls: [commandButton('Audit log', '/hc audit --mine')],
  })
}

/** The message to the new or the previous owner. */
export function notificationView(
  { from, to, askedBy }: People,
  handedOver: readonly HandedOver[],
  { isNew, by }: { isNew: boolean; by: string },
): Message {
  const count = pluralize(
    handedOver.reduce((sum, { given }) => sum + given.length, 0),
    'thing',
  )
  const isByOwner = askedBy === from.userId
  const headline = isNew
    ? `${formatName(by)} handed over ${count} to you${isByOwner ? '' : ` from ${formatName(from.name)}`}`
    : `${formatName(by)} handed over ${count} of yours to ${formatName(to.name)}`
  return card({
    headline,
    notes: handedOver.flatMap(({ one, many, given }) => kindLines(one, many, given)),
    smallPrint: isNew
      ? [
          `See them with ${cmd('/cert-order list')} --mine, ${cmd('/threat queue')} --mine, ${cmd('/hc watches')} --all, and ${cmd('/hc jobs')}.`,
        ]
      : [],
  })
}

export const fileSentView = ({ from }: People): Message =>
  card({
    headline: `I sent you a DM with a file that lists everything ${formatName(from.name)} owns.`,
  })

export const fileRows = ({ from, to }: People, owned: readonly OwnedThings[]): string[][] => [
  ['kind', 'name', 'environment', 'goes to', 'why'],
  ...owned.flatMap(({ one, things }) =>
    things.map(({ name, environment, whyNot }) => [
      one,
      lineText(name),
      environment,
      whyNot === undefined ? to.name : from.name,
      whyNot ?? '',
    ]),
  ),
]
