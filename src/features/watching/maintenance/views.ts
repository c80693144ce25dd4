import { durationWords } from '@signalman/runtime'
import {
  actions,
  clip,
  commandButton,
  commandMenu,
  context,
  type Fact,
  factLines,
  facts,
  header,
  literal,
  type Message,
  message,
  oneLine,
  say,
  section,
  utc,
  when,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { badgeOf } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import type { CardState } from '../rules/card.ts'
import { subjectName } from '../views/words.ts'
import type { MaintenancePlan, MaintenanceWindow } from './rules.ts'

/** A card about a window of maintenance in one channel. */
export interface MaintenanceModel extends CardState {
  readonly cardId: string
  readonly window: MaintenanceWindow
}

/** What a channel reads of maintenance that concerns it: one message, from its announcement to its end. */
export function maintenanceCardView({ window, closedAt }: MaintenanceModel): Message {
  const { about, from, to, forMs, environment, because, ownerName, planId, every } = window
  const what = `Maintenance of ${subjectName(about)}${badgeOf(environment)}`
  const isOff = to <= from
  const title = titleOf(window, what, closedAt !== undefined)
  const entries: Fact[] = [
    [window.state === 'announced' ? 'Begins' : 'From', from],
    ['Until', isOff ? undefined : to],
    ['Lasts', isOff || closedAt ? undefined : durationWords(forMs)],
    ['Again', every && `every ${every}`],
    ['Why', because || undefined],
    ['Planned by', ownerName],
  ]
  const note = closedAt
    ? undefined
    : 'What goes down in it is not told and does not count; its end says what is still down.'
  const end = window.state === 'running' ? 'End it now' : 'Call it off'
  return message(
    literal([title, factLines(entries), ...(note ? [note] : [])].join('\n')),
    header(title),
    facts(entries),
    note ? context(note) : [],
    actions(
      ...(closedAt
        ? []
        : [
            commandButton('Change', `/hc maintenance-edit ${quoted(planId)}`),
            commandButton(end, `/hc maintenance-end ${quoted(planId)}`),
          ]),
      commandButton('All maintenance', '/hc maintenance'),
    ),
    environment === 'ote' ? context('OTE test environment') : [],
  )
}

function titleOf({ state, from, to }: MaintenanceWindow, what: string, isClosed: boolean): string {
  if (state === 'over')
    return to <= from
      ? `⚪ ${what} was called off`
      : `✅ ${what} is over, after ${durationWords(to.getTime() - from.getTime())}`
  if (isClosed) return `⚪ ${what} does not concern this channel any more`
  return state === 'running' ? `🔧 ${what} is under way` : `🗓️ ${what} is planned`
}

type Shown = MaintenancePlan & Pick<MaintenanceWindow, 'planId' | 'channelId' | 'environment'>

/** Right after it was planned or changed. */
export function plannedView(plan: Shown, what: 'new' | 'changed'): Message {
  const { about, from, forMs, every, channelId, planId, environment } = plan
  const lead = `${what === 'new' ? 'Planned' : 'Saved'}: maintenance of ${subjectName(about)}${badgeOf(environment)} in ${channelId ? 'this channel' : 'every channel'}`
  const again = every ? `, and then every ${every} at that time of ${plan.timeZone}` : ''
  const rest = `for ${durationWords(forMs)}${again}. Channels that watch it are told an hour before. What goes down in it is not told and does not count; its end says what is still down.`
  return message(
    literal(`${lead}, from ${utc(from)} ${rest}`),
    say(`${literal(lead)}, from ${when(from)} ${literal(rest)}`),
    actions(
      commandButton('Change', `/hc maintenance-edit ${quoted(planId)}`),
      commandButton('Call it off', `/hc maintenance-end ${quoted(planId)}`),
      commandButton('All maintenance', '/hc maintenance'),
    ),
  )
}

export function endedView(
  {
    about,
    hadBegun,
    every,
  }: Pick<MaintenanceWindow, 'about'> & { hadBegun: boolean; every?: string | undefined },
  isWhole: boolean,
): Message {
  const what = `Maintenance of ${subjectName(about)}`
  const sentence = hadBegun ? `${what} is over. What is still down is told now.` : `${what} was called off.`
  const next = every ? (isWhole ? ' It does not come again.' : ` It comes again next ${every}.`) : ''
  return message(literal(`${sentence}${next}`), section(`${sentence}${next}`))
}

const SHOWN = 20

/** `🔧 Maintenance: shop*, under way until …, every week, by Max: database upgrade`. */
export function maintenanceWords(window: MaintenanceWindow, at: (date: Date) => string): string {
  const { about, environment, from, to, state, every, because, ownerName, channelId } = window
  const time = state === 'running' ? `under way until ${at(to)}` : `from ${at(from)} until ${at(to)}`
  return [
    `🔧 Maintenance: ${literal(subjectName(about))}${badgeOf(environment)}, ${time}`,
    ...(every ? [`every ${every}`] : []),
    ...(channelId === undefined ? ['in every channel'] : []),
    `by ${literal(clip(oneLine(ownerName), 60))}`,
    ...(because ? [literal(clip(oneLine(because), 200))] : []),
  ].join(' · ')
}

export const maintenanceBlock = (window: MaintenanceWindow, place = ''): KnownBlock =>
  say(
    `${place}${maintenanceWords(window, when)}`,
    commandButton('Change', `/hc maintenance-edit ${quoted(window.planId)}`, {
      spoken: `Change maintenance of ${subjectName(window.about)}`,
    }),
  )

/** What is planned and under way in the workspace. */
export function maintenanceListView(windows: readonly MaintenanceWindow[]): Message {
  const shown = windows.slice(0, SHOWN)
  const running = windows.filter(({ state }) => state === 'running').length
  const title =
    windows.length === 0
      ? 'No maintenance is planned'
      : `${counted(windows.length, 'maintenance')} planned, ${running === 0 ? 'none' : grouped(running)} under way`
  const how =
    'For example: /hc maintenance shop* --from "Mon 22:00" --for 2h --every week --because "database upgrade"'
  const place = ({ channelId }: MaintenanceWindow): string => (channelId ? `<#${channelId}> ` : '')
  const left = windows.length - shown.length
  const notes = [
    ...(windows.length === 0 ? [how] : []),
    ...(left > 0 ? [`${grouped(left)} more begin later than these.`] : []),
  ]
  return message(
    [title, ...shown.map((window) => maintenanceWords(window, utc)), ...notes.map(literal)].join('\n'),
    header(title),
    shown.map((window) => maintenanceBlock(window, place(window))),
    notes.map((note) => context(note)),
    actions(
      commandButton('Plan maintenance', '/hc maintenance-edit', { style: 'primary' }),
      ...(shown.length > 0
        ? [
            commandMenu(
              'End or call off',
              shown.map(({ about, planId, from }) => ({
                label: `${subjectName(about)}, ${utc(from)}`,
                value: `/hc maintenance-end ${quoted(planId)}`,
              })),
              { inPlace: false },
            ),
          ]
        : []),
    ),
  )
}
