import { durationWords } from '@signalman/runtime'
import {
  card,
  chart,
  clip,
  commandButton,
  type Fact,
  LIMITS,
  type Line,
  lines,
  type Message,
} from '@signalman/slack'
import { checkName } from '../../../bot/replies/check-facts.ts'
import { badgeOf } from '../../../domain/environment.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import { wallTimeOf } from '../../../domain/zoned-time.ts'
import type { DigestModel } from '../rules/card-model.ts'
import { linesOf } from './many-cards.ts'
import { percent } from './words.ts'

/** A channel's day: outages, the longest, uptime over the time that was observed; a chart where the workspace takes one. */
export function digestView(model: DigestModel): Message {
  const { from, to, timeZone, environment } = model
  const hours = hoursOf(model)
  const hourLine = hours
    .filter(({ outages }) => outages > 0)
    .map(({ from, to, outages }) => `${grouped(outages)} from ${from} to ${to}`)
    .join(', ')
  const perHour = hourLine ? [`Outages by the hour in which they began: ${hourLine}`] : []
  const told = [...uptimeLines(model), ...stillDownLines(model)]
  const toldBlock = told.length > 0 ? [lines(...told)] : []
  const drawn = () =>
    chart('bar', {
      title: 'Outages',
      xLabel: 'Hour in which they began',
      yLabel: 'Outages',
      categories: hours.map(({ from, to }) => `${from}–${to}`),
      series: [{ name: 'Outages', values: hours.map(({ outages }) => outages) }],
    })
  return card({
    answer: [`${digestAnswer(model)}${badgeOf(environment)}`, ' · ', from, ' to ', to],
    facts: factsOf(model),
    body: [perHour.length > 0 ? [drawn()] : [], toldBlock],
    classicBody: () => [perHour.length > 0 ? [lines(...perHour)] : [], toldBlock],
    bodyText: [...perHour, ...told],
    small: [`Times of ${timeZone}. Only what was observed counts.`],
    controls: [commandButton('History', '/hc history --days 7')],
    more: [commandButton('Watches', '/hc watches')],
  })
}

/** `3 outages of 2 health checks, 1 still down`. */
function digestAnswer({ outages, checks, goingOn }: DigestModel): string {
  const began =
    outages === 0 ? 'No new outage' : `${counted(outages, 'outage')} of ${counted(checks, 'health check')}`
  return goingOn === 0 ? `${began}, none is down now` : `${began}, ${grouped(goingOn)} still down`
}

const CHECKS = 10

/** What the digest counts, as facts. */
export function factsOf({ downMs, plannedMs, observedMs, longest, to, from }: DigestModel): Fact[] {
  const share = observedMs / (to.getTime() - from.getTime())
  return [
    ['Longest', longest && `${durationWords(longest.ms)}, ${checkName(longest.outage.check)}`],
    ['Down in all', durationWords(downMs)],
    ['In maintenance', plannedMs > 0 ? `down ${durationWords(plannedMs)} more, not counted` : undefined],
    ['Observed', `${durationWords(observedMs)} (${percent(share)} of this time)`],
  ]
}

/** Groups the hours two by two where needed: Slack's charts have 20 columns at most. */
export function hoursOf({
  perHour,
  timeZone,
  to,
}: DigestModel): { from: string; to: string; outages: number }[] {
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

/** The uptime of each watch, over the time that was observed. */
function uptimeLines({ uptimes, checks }: DigestModel): string[] {
  const shown = uptimes.slice(0, CHECKS).map(({ check, uptime }) => {
    const words = uptime === undefined ? 'not known' : percent(uptime)
    return `Uptime of ${clip(checkName(check), 80)}: ${words}`
  })
  const left = checks - shown.length
  return [...shown, ...(left > 0 ? [`and ${grouped(left)} more that were down at all`] : [])]
}

const stillDownLines = ({ stillDown, goingOn }: DigestModel): Line[] =>
  stillDown.length > 0 ? ['Still down:', ...linesOf(stillDown, goingOn)] : []

const two = (count: number): string => String(count).padStart(2, '0')

function timeOf(at: Date, timeZone: string): string {
  const { hour, minute } = wallTimeOf(at, timeZone)
  return `${two(hour)}:${two(minute)}`
}
