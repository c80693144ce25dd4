import { card, commandButton, date, type Line, lines, type Message, person } from '@signalman/slack'
import { besidePage, pageButtons, pageOf, pageWords } from '../../../bot/views/list-page.ts'
import { badgeOf } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import type { WatchPlan } from '../files/apply-watches.ts'
import type { FiledDigest } from '../files/watch-file.ts'
import { filterWords } from '../filter-fields.ts'
import type { Watch, WatchTerms } from '../rules/watch.ts'
import { termWords } from '../watch-fields.ts'
import { placeParts, watchCount } from './words.ts'

/** Lines of a page. */
const SHOWN = 40

export function fileSentView(count: number, name: string): Message {
  return card({
    answer: `${watchCount(count)} of this workspace as a file, in your direct messages with Signalman: ${name}`,
  })
}

const summaries = (count: number): string =>
  count === 1 ? '1 daily summary' : `${grouped(count)} daily summaries`

type Counts = { [name in 'added' | 'changed' | 'ended' | 'digests' | 'endedDigests']: readonly unknown[] }

/** `add 2 watches, change 1 watch, end 1 daily summary`; empty where there is nothing. */
function changesIn(
  { added, changed, ended, digests, endedDigests }: Counts,
  does: { add: string; change: string; end: string; set: string },
): string {
  const parts = [
    [added.length, does.add, watchCount],
    [changed.length, does.change, watchCount],
    [ended.length, does.end, watchCount],
    [digests.length, does.set, summaries],
    [endedDigests.length, does.end, summaries],
  ] as const
  return parts.flatMap(([count, verb, words]) => (count > 0 ? [`${verb} ${words(count)}`] : [])).join(', ')
}

/** What a file would change, page by page, and the button that has it change all of that. */
export function planView(plan: WatchPlan, stateId: string, asked = 1): Message {
  const { items, page, pages } = pageOf(linesOf(plan), asked, SHOWN)
  const changes = changesIn(plan, { add: 'add', change: 'change', end: 'end', set: 'set' })
  const there =
    plan.same > 0
      ? ` ${counted(plan.same, 'entry').replace('entrys', 'entries')} of it ${plan.same === 1 ? 'is' : 'are'} there already.`
      : ''
  const sentence =
    changes === '' ? `This file would change nothing.${there}` : `This file would ${changes}.${there}`
  return card({
    answer: [sentence, changes === '' ? '' : ' Nothing is changed yet.'],
    notes: pages > 1 ? [`These are ${pageWords(page, pages)}.`] : [],
    body: items.map((line) => lines(line)),
    controls:
      changes === ''
        ? []
        : [
            commandButton('Apply', `/hc watch-apply ${quoted(stateId)}`, { style: 'primary', inPlace: true }),
            ...pageButtons(
              besidePage({ page, pages }, (to) => `/hc watch-plan ${quoted(stateId)} --page ${to}`),
            ),
          ],
  })
}

function linesOf({ added, changed, ended, digests, endedDigests }: WatchPlan): Line[] {
  const watched = ({ filter, ...terms }: WatchTerms): string =>
    [filterWords(filter), ...termWords(terms)].join(' · ')
  const at = (sign: string, { channelId, environment }: Pick<Watch, 'channelId' | 'environment'>) =>
    [`${sign} `, ...placeParts(channelId), `${badgeOf(environment)} `] as const
  const digest = ({ terms }: FiledDigest): string =>
    terms === 'off'
      ? 'no daily summary any more'
      : `daily summary at ${terms.hour}:00, ${terms.timeZone ?? 'UTC'}`
  return [
    // What is lost comes first.
    ...ended.map((watch) => [
      ...at('➖', watch),
      `ends: ${watched(watch)} (by `,
      person(watch.ownerId),
      ', ',
      date(watch.madeAt),
      ')',
    ]),
    ...endedDigests.map((one) => [...at('➖', one), digest(one)]),
    ...changed.map(({ watch, to }) => [
      ...at('✏️', watch),
      `${watched(to.terms)} (now: ${watched(watch)}, by `,
      person(watch.ownerId),
      ')',
    ]),
    ...added.map((one) => [...at('➕', one), watched(one.terms)]),
    ...digests.map((one) => [...at('➕', one), digest(one)]),
  ]
}

/** What was done; `closed` are channels that were left out. */
export function appliedView({ closed, ...done }: Counts & { closed: readonly string[] }): Message {
  const changes = changesIn(done, { add: 'added', change: 'changed', end: 'ended', set: 'set' })
  return card({
    answer: changes === '' ? 'Nothing was changed.' : `Done: ${changes}.`,
    notes:
      closed.length > 0
        ? [
            [
              'Left out, because Signalman cannot write there or you are not in it: ',
              ...closed.flatMap((place, at) => [at > 0 ? ', ' : '', ...placeParts(place)]),
              '.',
            ],
          ]
        : [],
    controls: [commandButton('All watches', '/hc watches --all')],
  })
}
