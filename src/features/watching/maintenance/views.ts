import { durationWords } from '@signalman/runtime'
import {
  card,
  clip,
  commandButton,
  commandMenu,
  date,
  type Line,
  lines,
  lineText,
  type Message,
  oneLine,
  say,
} from '@signalman/slack'
import type { KnownBlock, RichTextElement } from '@slack/types'
import { besidePage, pageButtons, pageOf, pageWords } from '../../../bot/views/list-page.ts'
import { badgeOf } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { grouped } from '../../../domain/wording.ts'
import type { CardState } from '../rules/card.ts'
import { nothingFits } from '../views/outcomes.ts'
import { placeParts, saidOf, subjectName } from '../views/words.ts'
import { shownFrom } from './parse.ts'
import { type MaintenancePlan, type MaintenanceWindow, shownAt, stateAt } from './rules.ts'

/** A card about a window of maintenance in one channel. */
export interface MaintenanceModel extends CardState {
  readonly cardId: string
  readonly window: MaintenanceWindow
}

/** What a channel reads of maintenance that concerns it: one message, from its announcement to its end. */
export function maintenanceCardView({ window, closedAt }: MaintenanceModel): Message {
  const { about, from, to, forMs, environment, because, ownerName, every } = window
  const what = `Maintenance of ${subjectName(about)}${badgeOf(environment)}`
  const isOff = to <= from
  const title = titleOf(window, what, closedAt !== undefined)
  const state = closedAt ? 'over' : window.state
  const isRunning = state === 'running'
  return card({
    answer: title,
    facts: [
      ['From', state === 'announced' ? undefined : from],
      ['Until', isOff || isRunning ? undefined : to],
      ['Lasts', isOff || closedAt ? undefined : durationWords(forMs)],
      ['Repeats', every && `every ${every}`],
      ['Why', because || undefined],
      ['Planned by', ownerName],
    ],
    small: [
      ...(closedAt ? [] : [`${UNCOUNTED} When it ends, Signalman posts what is still down.`]),
      ...(environment === 'ote' ? ['OTE test environment'] : []),
    ],
    controls: controlsOf(window, isRunning, closedAt !== undefined),
  })
}

const UNCOUNTED = 'Outages during maintenance aren’t reported and don’t count against uptime.'

const controlsOf = (
  window: Pick<MaintenanceWindow, 'planId' | 'every'>,
  isBegun: boolean,
  isOver = false,
) => [
  ...(isOver
    ? []
    : [
        commandButton('Change', `/hc maintenance-edit ${quoted(window.planId)}`),
        commandButton(isBegun ? 'End it now' : 'Call it off', endLine(window, isBegun)),
      ]),
  commandButton('All maintenance', '/hc maintenance'),
]

function titleOf({ state, from, to }: MaintenanceWindow, what: string, isClosed: boolean): Line {
  if (state === 'over')
    return to <= from
      ? `⚪ ${what} was called off`
      : `✅ ${what} is over, after ${durationWords(to.getTime() - from.getTime())}`
  if (isClosed) return `⚪ ${what} does not concern this channel any more`
  return state === 'running' ? [`🔧 ${what} is under way, until `, to] : [`🗓️ ${what} is planned, from `, from]
}

type Shown = MaintenancePlan & Pick<MaintenanceWindow, 'planId' | 'channelId' | 'environment'>

/** Right after it was planned or changed. */
export function plannedView(
  plan: Shown,
  what: 'new' | 'changed',
  {
    now,
    here,
    fitsNothing = false,
  }: { now: Date; here: readonly (string | undefined)[]; fitsNothing?: boolean },
): Message {
  const { about, from, forMs, every, channelId, environment } = plan
  const to = new Date(from.getTime() + forMs)
  const state = stateAt({ state: 'planned', from, to }, now)
  const isBegun = state === 'running'
  const lead = what === 'changed' ? 'Saved' : isBegun ? 'Begun' : 'Planned'
  const of = `${lead}: maintenance of ${subjectName(about)}${badgeOf(environment)} in `
  return card({
    answer: [
      ...(channelId ? [saidOf([of, channelId, ''], here)].flat() : [`${of}every channel`]),
      ...(isBegun ? [', until ', to] : [', from ', from, ` for ${durationWords(forMs)}`]),
    ],
    notes: [
      ...(fitsNothing ? [nothingFits('in maintenance')] : []),
      ...(every ? [`It repeats every ${every}, at that time in ${plan.timeZone}.`] : []),
      `Signalman announces it ${state === 'planned' ? 'an hour before' : 'now'} in the channels that watch these health checks. ${UNCOUNTED} When it ends, Signalman posts what is still down.`,
    ],
    controls: controlsOf(plan, isBegun),
  })
}

/** Ends what is under way, and nothing of what comes after it; or calls all of it off. */
const endLine = ({ planId, every }: Pick<MaintenanceWindow, 'planId' | 'every'>, isRunning: boolean) =>
  `/hc maintenance-end ${quoted(planId)}${isRunning && every ? ' --once' : ''}`

interface EndedMaintenance extends Pick<MaintenanceWindow, 'about' | 'planId' | 'environment' | 'channelId'> {
  hadBegun: boolean
  every?: string | undefined
}

export function endedView(
  { about, hadBegun, every, planId, environment, channelId }: EndedMaintenance,
  isWhole: boolean,
  here: readonly (string | undefined)[],
): Message {
  const what = `${hadBegun ? 'Ended' : 'Called off'} maintenance of ${subjectName(about)}${badgeOf(environment)} in `
  const next = every ? (isWhole ? ' It doesn’t repeat.' : ` It repeats next ${every}.`) : ''
  const rest = `.${hadBegun ? ' Signalman posts what is still down.' : ''}${next}`
  return card({
    answer: channelId ? saidOf([what, channelId, rest], here) : `${what}every channel${rest}`,
    controls: isWhole ? [] : [commandButton('Call off the rest', `/hc maintenance-end ${quoted(planId)}`)],
  })
}

const SHOWN = 20

/** `🔧 Maintenance: shop*, under way until …, every week, by Max: database upgrade`. */
export function maintenanceLine(
  window: MaintenanceWindow,
  withChannel: boolean,
): readonly (string | RichTextElement)[] {
  const { about, environment, from, to, state, every, because, ownerName, channelId } = window
  return [
    ...(channelId && withChannel ? [...placeParts(channelId), ': '] : []),
    `🔧 Maintenance: ${subjectName(about)}${badgeOf(environment)}, `,
    ...(state === 'running' ? ['under way'] : ['from ', date(from)]),
    ' until ',
    date(to),
    ...[
      every && `every ${every}`,
      channelId === undefined && 'in every channel',
      `by ${clip(oneLine(ownerName), 60)}`,
      because && clip(oneLine(because), 200),
    ].flatMap((part) => (part ? [` · ${part}`] : [])),
  ]
}

/** What can be done about each, for menus. Of two with one name the beginning stands first, where a long name does not push it out. */
export function maintenanceChoices(windows: readonly MaintenanceWindow[]) {
  const names = windows.map(({ about }) => subjectName(about))
  const begun = windows.map((window, index) => `${shownFrom(window)} ${names[index]}`)
  return windows.map((window, index) => {
    const { planId, state } = window
    const isAlone = (all: readonly string[]) => all.filter((one) => one === all[index]).length === 1
    const which = begun.slice(0, index + 1).filter((one) => one === begun[index]).length
    const from = isAlone(names) ? '' : begun[index]?.slice(0, FROM_LETTERS)
    const label = `${from}${isAlone(begun) ? '' : `(${which}) `}maintenance of ${names[index]}`
    return {
      change: { label: `Change ${label}`, value: `/hc maintenance-edit ${quoted(planId)}` },
      end: {
        label: `${state === 'running' ? 'End' : 'Call off'} ${label}`,
        value: endLine(window, state === 'running'),
      },
    }
  })
}

/** `2026-12-01 22:00 ` */
const FROM_LETTERS = 17

export const maintenanceBlock = (window: MaintenanceWindow): KnownBlock =>
  say(
    lineText(maintenanceLine(window, true)),
    commandButton('Change', `/hc maintenance-edit ${quoted(window.planId)}`, {
      spoken: `Change maintenance of ${subjectName(window.about)}`,
    }),
  )

const EXAMPLE =
  'For example: /hc maintenance shop* --from "Mon 22:00" --for 2h --every week --because "database upgrade"'

/** A page of what is planned and under way in the workspace. */
export function maintenanceListView(all: readonly MaintenanceWindow[], now: Date, asked = 1): Message {
  const windows = all.map((window) => shownAt(window, now))
  const { items: shown, page, pages } = pageOf(windows, asked, SHOWN)
  const { previous, next } = besidePage({ page, pages }, (to) => `/hc maintenance --page ${to}`)
  const running = windows.filter(({ state }) => state === 'running').length
  const planned = windows.length - running
  const standing = [
    running > 0 && `${grouped(running)} under way`,
    planned > 0 && `${grouped(planned)} planned`,
  ]
  const choices = maintenanceChoices(shown)
  const menu = (placeholder: string, what: 'change' | 'end') =>
    commandMenu(
      placeholder,
      choices.map((one) => one[what]),
      { inPlace: false },
    )
  return card({
    answer:
      windows.length === 0
        ? 'No maintenance is planned'
        : [`Maintenance: ${standing.filter(Boolean).join(', ')}`, pageWords(page, pages)]
            .filter(Boolean)
            .join(' · '),
    body: shown.map((window) => lines(maintenanceLine(window, true))),
    small: windows.length === 0 ? [EXAMPLE] : [],
    controls: [
      commandButton('Plan maintenance', '/hc maintenance-edit'),
      ...(shown.length > 0 ? [menu('Change…', 'change'), menu('End or call off…', 'end')] : []),
      ...pageButtons({ previous, next }),
    ],
  })
}
