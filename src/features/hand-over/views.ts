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
import type { OwnedItem } from '../../bot/routes/routes.ts'
import { cmd } from '../../domain/command-names.ts'
import { environmentSuffix } from '../../domain/environment.ts'
import { formatCount, joinNames, pluralize } from '../../domain/wording.ts'
import {
  digestOwned,
  isTransferable,
  type OwnedKind,
  type People,
  type TransferredKind,
} from './rules/owned.ts'

const MAX_SHOWN = 10
const MAX_NAME_LENGTH = 80

const formatName = (name: string): string => clip(oneLine(name), MAX_NAME_LENGTH)

/** Shows what would be handed over, with a button to confirm. */
export function previewView(people: People, owned: readonly OwnedKind[]): Message {
  const [from, to] = [formatName(people.from.name), formatName(people.to.name)]
  const transferable = owned.flatMap(({ items }) => items.filter(isTransferable))
  const blocked = owned.flatMap(({ items }) => items.filter((item) => !isTransferable(item)))
  const ids = `${people.from.userId} ${people.to.userId}`
  const isTruncated =
    owned.some(({ items }) => items.filter(isTransferable).length > MAX_SHOWN) || blocked.length > MAX_SHOWN
  if (transferable.length + blocked.length === 0)
    return card({
      headline: `${from} doesn’t have anything to hand over.`,
      smallPrint: [COVERED_KINDS_NOTE],
    })
  return card({
    headline:
      transferable.length === 0
        ? `${to} can’t take over anything from ${from}.`
        : `Hand over ${pluralize(transferable.length, 'item')} from ${from} to ${to}? Nothing has changed yet.`,
    notes: [
      ...owned.flatMap(({ singular, plural, items }) =>
        kindLines(singular, plural, items.filter(isTransferable)),
      ),
      ...(blocked.length > 0 ? [`Stays with ${from}:`, ...blocked.slice(0, MAX_SHOWN).map(blockedLine)] : []),
      ...(blocked.length > MAX_SHOWN ? [`And ${formatCount(blocked.length - MAX_SHOWN)} more.`] : []),
      ...owned.flatMap(({ notes }) => notes),
    ],
    smallPrint: [COVERED_KINDS_NOTE],
    controls: [
      ...(transferable.length > 0
        ? [
            commandButton('Hand over', `/hc handover-start ${ids} --seen ${digestOwned(owned)}`, {
              style: 'primary',
            }),
          ]
        : []),
      ...(isTruncated
        ? [
            commandButton(
              `All ${formatCount(transferable.length + blocked.length)} as a file`,
              `/hc handover-file ${ids}`,
            ),
          ]
        : []),
      commandButton('Refresh', `/hc handover ${ids}`, { inPlace: true }),
    ],
  })
}

const COVERED_KINDS_NOTE =
  'This covers open certificate orders, current certificates, open threat cases, outages they’re on, watches in channels, and changes to health checks that can be continued or undone.'

/** Lists the items of one kind: `3 watches: web-* in #ops, …`. */
const kindLines = (singular: string, plural: string, items: readonly OwnedItem[]): Line[] =>
  items.length === 0 ? [] : [[`${pluralize(items.length, singular, plural)}: `, ...listItems(items)]]

function listItems(items: readonly OwnedItem[]): Extract<Line, readonly unknown[]> {
  const shown = items.slice(0, MAX_SHOWN)
  const hiddenCount = items.length - shown.length
  return [
    ...shown.flatMap((item, index) => [...(index > 0 ? [', '] : []), ...itemElements(item)]),
    ...(hiddenCount > 0 ? [`, and ${formatCount(hiddenCount)} more`] : []),
  ]
}

const itemElements = ({ name, environment }: OwnedItem) => [
  ...lineElements(name),
  environmentSuffix(environment),
]

const blockedLine = (item: OwnedItem): Line => ['• ', ...itemElements(item), `: ${item.blockedReason}`]

/** Shows what was transferred. */
export function handedOverView(
  people: People,
  handedOver: readonly TransferredKind[],
  unreached: readonly string[],
): Message {
  const [from, to] = [formatName(people.from.name), formatName(people.to.name)]
  const count = handedOver.reduce((sum, { items }) => sum + items.length, 0)
  const requested = handedOver.reduce((sum, kind) => sum + kind.remaining.length, count)
  return card({
    headline:
      count === requested
        ? `Handed over ${pluralize(count, 'item')} from ${from} to ${to}.`
        : `Handed over ${formatCount(count)} of ${pluralize(requested, 'item')} from ${from} to ${to}.`,
    notes: [
      ...handedOver.flatMap(({ singular, plural, items }) => kindLines(singular, plural, items)),
      ...(count < requested
        ? [
            'Not handed over, because they changed in the meantime or couldn’t be changed right now:',
            ...handedOver.flatMap(({ singular, plural, remaining }) =>
              kindLines(singular, plural, remaining),
            ),
          ]
        : []),
      ...(unreached.length > 0
        ? [`Signalman couldn’t send a DM to ${unreached.map(formatName).join(' and ')}.`]
        : []),
    ],
    controls: [commandButton('Audit log', '/hc audit --mine')],
  })
}

/** `2 certificate orders and 1 watch` */
export const describeKinds = (handedOver: readonly TransferredKind[]): string =>
  joinNames(
    handedOver
      .filter(({ items }) => items.length > 0)
      .map(({ singular, plural, items }) => pluralize(items.length, singular, plural)),
  )

/** The DM to the new or the previous owner. */
export function notificationView(
  { from, to, askedBy }: People,
  handedOver: readonly TransferredKind[],
  { isNewOwner, by }: { isNewOwner: boolean; by: string },
): Message {
  const count = pluralize(
    handedOver.reduce((sum, { items }) => sum + items.length, 0),
    'item',
  )
  const isByOwner = askedBy === from.userId
  const headline = isNewOwner
    ? `${formatName(by)} handed over ${count} to you${isByOwner ? '' : ` from ${formatName(from.name)}`}`
    : `${formatName(by)} handed over ${count} of yours to ${formatName(to.name)}`
  return card({
    headline,
    notes: handedOver.flatMap(({ singular, plural, items }) => kindLines(singular, plural, items)),
    smallPrint: isNewOwner
      ? [
          `See them with ${cmd('/cert-order list')} --mine, ${cmd('/threat queue')} --mine, ${cmd('/hc watches')} --all, and ${cmd('/hc jobs')}.`,
        ]
      : [],
  })
}

/** The sentence above the file. */
export const describeFile = ({ from }: People): string =>
  `What can be handed over from ${from.name}, and what stays.`

export const fileSentView = ({ from }: People): Message =>
  card({
    headline: `I sent you a DM with a file that lists what can be handed over from ${formatName(from.name)}, and what stays.`,
  })

export const fileRows = ({ from, to }: People, owned: readonly OwnedKind[]): string[][] => [
  ['kind', 'name', 'environment', 'goes to', 'why'],
  ...owned.flatMap(({ singular, items }) =>
    items.map(({ name, environment, blockedReason }) => [
      singular,
      lineText(name),
      environment,
      blockedReason === undefined ? to.name : from.name,
      blockedReason ?? '',
    ]),
  ),
]
