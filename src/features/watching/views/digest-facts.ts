import { checkName } from '../../../blocks/checks.ts'
import type { Fact } from '../../../blocks/facts.ts'
import { LIMITS } from '../../../blocks/limits.ts'
import { clip } from '../../../blocks/text.ts'
import { durationWords } from '../../../domain/durations.ts'
import type { DigestModel } from '../../../domain/watching/card-model.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import { wallTimeOf } from '../../../domain/zoned-time.ts'
import { percent } from './check-words.ts'
import { linesOf } from './many-cards.ts'

const CHECKS = 10

/** What the digest counts, as facts. */
export function factsOf({
  outages,
  checks,
  downMs,
  observedMs,
  longest,
  to,
  from,
  goingOn,
}: DigestModel): Fact[] {
  const share = observedMs / (to.getTime() - from.getTime())
  return [
    ['Outages', outages === 0 ? 'none began' : `${grouped(outages)} of ${counted(checks, 'health check')}`],
    ['Longest', longest && `${durationWords(longest.ms)}, ${checkName(longest.outage.check)}`],
    ['Down in all', durationWords(downMs)],
    ['Down now', goingOn > 0 ? grouped(goingOn) : 'none'],
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
export function uptimeLines({ uptimes, checks }: DigestModel): string[] {
  const shown = uptimes.slice(0, CHECKS).map(({ check, uptime }) => {
    const words = uptime === undefined ? 'not known' : percent(uptime)
    return `Uptime of ${clip(checkName(check), 80)}: ${words}`
  })
  const left = checks - shown.length
  return [...shown, ...(left > 0 ? [`and ${grouped(left)} more that were down at all`] : [])]
}

export const stillDownLines = ({ stillDown, goingOn }: DigestModel): string[] =>
  stillDown.length > 0 ? ['Still down:', ...linesOf(stillDown, goingOn)] : []

const two = (count: number): string => String(count).padStart(2, '0')

function timeOf(at: Date, timeZone: string): string {
  const { hour, minute } = wallTimeOf(at, timeZone)
  return `${two(hour)}:${two(minute)}`
}

export function dayOf(at: Date, timeZone: string): string {
  const { year, month, day } = wallTimeOf(at, timeZone)
  return `${year}-${two(month)}-${two(day)} ${timeOf(at, timeZone)}`
}
