import { chart } from '../../../blocks/charts.ts'
import { commandButton } from '../../../blocks/command-buttons.ts'
import { actions, context, header, section } from '../../../blocks/layout.ts'
import { LIMITS } from '../../../blocks/limits.ts'
import { type Message, newOrClassic } from '../../../blocks/message.ts'
import { type Fact, factLines, facts } from '../../../blocks/rich-text.ts'
import { clip, literal } from '../../../blocks/text.ts'
import { durationWords } from '../../../domain/durations.ts'
import type { DigestModel } from '../../../domain/watching/card-model.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import { wallTimeOf } from '../../../domain/zoned-time.ts'
import { badge, lasted, nameOf, percent } from './check-words.ts'
import { linesOf } from './many-cards.ts'

const CHECKS = 10

/** A channel's day: outages, the longest, uptime over the time that was observed; a chart where the workspace takes one. */
export function digestView(model: DigestModel): Message {
  const { from, to, timeZone, environment } = model
  const title = `Health checks${badge(environment)}: ${dayOf(from, timeZone)} to ${dayOf(to, timeZone)}`
  const entries = factsOf(model)
  const hours = hoursOf(model)
  const hourLine = hours
    .filter(({ outages }) => outages > 0)
    .map(({ from, to, outages }) => `${grouped(outages)} from ${from} to ${to}`)
    .join(', ')
  const perHour = hourLine ? [`Outages by the hour in which they began: ${hourLine}`] : []
  const lines = [...uptimeLines(model), ...stillDownLines(model)]
  const note = `Times of ${timeZone}. Only what was observed counts.`
  const text = (all: readonly string[]) =>
    all.length > 0 ? [section(clip(all.join('\n'), LIMITS.sectionText))] : []
  const head = [header(title), facts(entries)]
  const foot = [
    ...text(lines),
    context(note),
    ...actions(commandButton('History', '/hc history --days 7'), commandButton('Watches', '/hc watches')),
  ]
  const drawn = chart('bar', {
    title: 'Outages',
    xLabel: 'Hour in which they began',
    yLabel: 'Outages',
    categories: hours.map(({ from, to }) => `${from}–${to}`),
    series: [{ name: 'Outages', values: hours.map(({ outages }) => outages) }],
  })
  return newOrClassic(
    literal([title, factLines(entries), ...perHour, ...lines, note].join('\n')),
    [head, hours.length > 0 && perHour.length > 0 ? [drawn] : [], foot],
    () => [head, text(perHour), foot],
  )
}

function factsOf({ outages, checks, downMs, observedMs, longest, to, from, stillDown }: DigestModel): Fact[] {
  const share = observedMs / (to.getTime() - from.getTime())
  return [
    ['Outages', outages === 0 ? 'none began' : `${grouped(outages)} of ${counted(checks, 'health check')}`],
    ['Longest', longest && `${lasted(longest.startedAt, longest.endedAt ?? to)}, ${nameOf(longest.check)}`],
    ['Down in all', durationWords(downMs)],
    ['Down now', stillDown.length > 0 ? grouped(stillDown.length) : 'none'],
    ['Observed', `${durationWords(observedMs)} (${percent(share)} of the day)`],
  ]
}

/** Slack's charts have 20 columns at most: two hours stand together. */
function hoursOf({ perHour, timeZone, to }: DigestModel): { from: string; to: string; outages: number }[] {
  const size = Math.max(1, Math.ceil(perHour.length / LIMITS.chartCategories))
  return perHour.flatMap((hour, index) => {
    if (index % size !== 0) return []
    const together = perHour.slice(index, index + size)
    return [
      {
        from: timeOf(hour.from, timeZone),
        to: timeOf(perHour[index + size]?.from ?? to, timeZone),
        outages: together.reduce((sum, { outages }) => sum + outages, 0),
      },
    ]
  })
}

function uptimeLines({ uptimes }: DigestModel): string[] {
  const shown = uptimes.slice(0, CHECKS).map(({ check, uptime }) => {
    const words = uptime === undefined ? 'not known' : percent(uptime)
    return `Uptime of ${clip(nameOf(check), 80)}: ${words}`
  })
  const left = uptimes.length - shown.length
  return [...shown, ...(left > 0 ? [`and ${grouped(left)} more that were down at all`] : [])]
}

const stillDownLines = ({ stillDown }: DigestModel): string[] =>
  stillDown.length > 0 ? ['Still down:', ...linesOf(stillDown, stillDown.length)] : []

const two = (count: number): string => String(count).padStart(2, '0')

function timeOf(at: Date, timeZone: string): string {
  const { hour, minute } = wallTimeOf(at, timeZone)
  return `${two(hour)}:${two(minute)}`
}

function dayOf(at: Date, timeZone: string): string {
  const { year, month, day } = wallTimeOf(at, timeZone)
  return `${year}-${two(month)}-${two(day)} ${timeOf(at, timeZone)}`
}
