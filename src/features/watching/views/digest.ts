import { card, chart, commandButton, type Line, lines, type Message } from '@signalman/slack'
import { badgeOf } from '../../../domain/environment.ts'
import { grouped } from '../../../domain/wording.ts'
import { wallTimeOf } from '../../../domain/zoned-time.ts'
import type { DigestModel } from '../digests.ts'
import { outageWords, sumFacts, worstLines } from './history.ts'
import { linesOf } from './many-cards.ts'
import { STILL_WORDS } from './words.ts'

/** A channel's day: outages, the longest, uptime over the time that was observed; a chart where the workspace takes one. */
export function digestView(model: DigestModel): Message {
  const { from, to, timeZone, environment, status, stillDown } = model
  const title = status === 'INSTALLING' ? 'Installations' : 'Outages'
  const hours = model.parts.map((part) => ({
    from: timeOf(part.from, timeZone),
    to: timeOf(part.to, timeZone),
    outages: part.outages,
  }))
  const began = hours.filter(({ outages }) => outages > 0)
  const beganWords = began.map(({ from, to, outages }) => `${grouped(outages)} from ${from} to ${to}`)
  const perHour = `${title} by the hour in which they began: ${beganWords.join(', ')}`
  const drawn = () =>
    chart('bar', {
      title,
      xLabel: 'Hour in which they began',
      yLabel: title,
      categories: hours.map(({ from, to }) => `${from}–${to}`),
      series: [{ name: title, values: hours.map(({ outages }) => outages) }],
    })
  const still =
    stillDown.length > 0 ? [`Still ${STILL_WORDS[status]}:`, ...linesOf(stillDown, stillDown.length)] : []
  const told: Line[] = [...worstLines(model), ...still]
  const toldBlock = told.length > 0 ? [lines(...told)] : []
  return card({
    answer: [`${digestAnswer(model)}${badgeOf(environment)}`, ' · ', from, ' to ', to],
    facts: sumFacts(model),
    body: [began.length > 0 ? [drawn()] : [], toldBlock],
    classicBody: () => [began.length > 0 ? [lines(perHour)] : [], toldBlock],
    bodyText: [...(began.length > 0 ? [perHour] : []), ...told],
    small: [`Times of ${timeZone}. Only what was observed counts.`],
    controls: [commandButton('History', '/hc history --days 7')],
    more: [commandButton('Watches', '/hc watches')],
  })
}

/** `3 outages of 2 health checks, 1 still down`. */
function digestAnswer(model: DigestModel): string {
  const { stillDown } = model
  const still = stillDown.length === 0 ? 'none' : grouped(stillDown.length)
  return `${outageWords(model)}, ${still} still ${STILL_WORDS[model.status]}`
}

function timeOf(at: Date, timeZone: string): string {
  const { hour, minute } = wallTimeOf(at, timeZone)
  return [hour, minute].map((part) => String(part).padStart(2, '0')).join(':')
}
