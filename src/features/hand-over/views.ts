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
import { counted, grouped } from '../../domain/wording.ts'
import { digestOwned, type HandedOver, type OwnedThings, type People } from './rules/held.ts'

const SHOWN = 10
const NAME = 80

const formatName = (name: string): string => clip(oneLine(name), NAME)

const isMoving = ({ stays }: HeldThing): boolean => stays === undefined

/** The preview, with the button that applies it. */
export function previewView(people: People, held: readonly OwnedThings[]): Message {
  const [from, to] = [formatName(people.from.name), formatName(people.to.name)]
  const moving = held.flatMap(({ things }) => things.filter(isMoving))
  const staying = held.flatMap(({ things }) => things.filter((thing) => !isMoving(thing)))
  const ids = `${people.from.userId} ${people.to.userId}`
  const isCut = held.some(({ things }) => things.filter(isMoving).length > SHOWN) || staying.length > SHOWN
  if (moving.length + staying.length === 0)
    return card({
      answer: `${from} doesn’t hold anything that can be handed over.`,
      small: [OWNED_HEADING],
    })
  return card({
    answer:
      moving.length === 0
        ? `${to} can’t take over anything that ${from} holds.`
        : `Hand over ${counted(moving.length, 'thing')} from ${from} to ${to}? Nothing has changed yet.`,
    notes: [
      ...held.flatMap(({ one, many, things }) => kindLines(one, many, things.filter(isMoving))),
      ...(staying.length > 0 ? [`Stays with ${from}:`, ...staying.slice(0, SHOWN).map(stayingLine)] : []),
      ...(staying.length > SHOWN ? [`And ${grouped(staying.length - SHOWN)} more.`] : []),
      ...held.flatMap(({ notes }) => notes),
    ],
    small: [OWNED_HEADING],
    controls: [
      ...(moving.length > 0
        ? [
            commandButton('Hand over', `/hc handover-start ${ids} --seen ${digestOwned(held)}`, {
              style: 'primary',
            }),
          ]
        : []),
      ...(isCut
        ? [
            commandButton(
              `All ${grouped(moving.length + staying.length)} as a file`,
              `/hc handover-file ${ids}`,
            ),
          ]
        : []),
      commandButton('Refresh', `/hc handover ${ids}`, { inPlace: true }),
    ],
  })
}

const OWNED_HEADING =
  'This covers open certificate orders, open threat cases, outages they’re on, watches in channels, and changes of health checks that can be continued or undone.'

/** `3 watches: web-* in #ops, …`. */
const kindLines = (one: string, many: string, things: readonly HeldThing[]): Line[] =>
  things.length === 0 ? [] : [[`${counted(things.length, one, many)}: `, ...listedThings(things)]]

function listedThings(things: readonly HeldThing[]): Extract<Line, readonly unknown[]> {
  const shown = things.slice(0, SHOWN)
  const more = things.length - shown.length
  return [
    ...shown.flatMap((thing, at) => [...(at > 0 ? [', '] : []), ...thingElements(thing)]),
    ...(more > 0 ? [`, and ${grouped(more)} more`] : []),
  ]
}

const thingElements = ({ name, environment }: HeldThing) => [...lineElements(name), badgeOf(environment)]

const stayingLine = (thing: HeldThing): Line => ['• ', ...thingElements(thing), `: ${thing.stays}`]

/** What was transferred. */
export function handedOverView(
  people: People,
  done: readonly HandedOver[],
  missed: readonly string[],
): Message {
  const [from, to] = [formatName(people.from.name), formatName(people.to.name)]
  const count = done.reduce((sum, { given }) => sum + given.length, 0)
  const asked = done.reduce((sum, one) => sum + one.asked, 0)
  return card({
    answer:
      count === asked
        ? `Handed over ${counted(count, 'thing')} from ${from} to ${to}.`
        : `Handed over ${grouped(count)} of ${counted(asked, 'thing')} from ${from} to ${to}.`,
    notes: [
      ...done.flatMap(({ one, many, given }) => kindLines(one, many, given)),
      ...(count < asked
        ? [
            `${counted(asked - count, 'other', 'others')} changed meanwhile and stayed as they are. The audit log names them.`,
          ]
        : []),
      ...(missed.length > 0
        ? [`Signalman couldn’t send a DM to ${missed.map(formatName).join(' and ')}.`]
        : []),
    ],
    controls: [commandButton('Audit log', '/hc audit --mine')],
  })
}

/** The message to the new or the previous owner. */
export function notificationView(
  { from, to, askedBy }: People,
  done: readonly HandedOver[],
  { isNew, by }: { isNew: boolean; by: string },
): Message {
  const count = counted(
    done.reduce((sum, { given }) => sum + given.length, 0),
    'thing',
  )
  const own = askedBy === from.userId
  const answer = isNew
    ? `${formatName(by)} handed over ${count} to you${own ? '' : ` from ${formatName(from.name)}`}`
    : `${formatName(by)} handed over ${count} of yours to ${formatName(to.name)}`
  return card({
    answer,
    notes: done.flatMap(({ one, many, given }) => kindLines(one, many, given)),
    small: isNew
      ? [
          `See them with ${cmd('/cert-order list')} --mine, ${cmd('/threat queue')} --mine, ${cmd('/hc watches')} --all, and ${cmd('/hc jobs')}.`,
        ]
      : [],
  })
}

export const fileSentView = ({ from }: People): Message =>
  card({
    answer: `Everything that ${formatName(from.name)} holds is in a file in your direct messages with Signalman.`,
  })

export const fileRows = ({ from, to }: People, held: readonly OwnedThings[]): string[][] => [
  ['kind', 'name', 'environment', 'goes to', 'why'],
  ...held.flatMap(({ one, things }) =>
    things.map(({ name, environment, stays }) => [
      one,
      lineText(name),
      environment,
      stays === undefined ? to.name : from.name,
      stays ?? '',
    ]),
  ),
]
