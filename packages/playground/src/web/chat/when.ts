import type { Message } from '../../protocol.ts'
import { dayOf as calendarDay } from '../text/date.ts'

const GROUP_SECONDS = 300

const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone
let zone = BROWSER_ZONE

/** Draws all times in the time zone of whom the page acts as; the browser's own when left out. */
export function drawTimesIn(timeZone = BROWSER_ZONE): void {
  zone = timeZone
}

export const timeZone = (): string => zone

export function momentOf(ts: string): Date {
  return new Date(Number(ts) * 1000)
}

/** As `{time}` in a text is shown: one form for all times of the page. */
export function clockTime(at: Date): string {
  return at.toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit', timeZone: zone })
}

export function fullTime(at: Date): string {
  return at.toLocaleString('en-US', { dateStyle: 'full', timeStyle: 'medium', timeZone: zone })
}

export function dayName(at: Date): string {
  return at.toLocaleDateString('en-US', {
    ...{ weekday: 'long', day: 'numeric', month: 'long' },
    timeZone: zone,
  })
}

/** Whether a message goes on where the one before left off: same author, for everyone, within five minutes. */
export function continues(message: Message, previous: Message | undefined): boolean {
  return (
    previous !== undefined &&
    previous.user === message.user &&
    !previous.ephemeral &&
    !message.ephemeral &&
    Number(message.ts) - Number(previous.ts) < GROUP_SECONDS
  )
}

/** Which day a message is of, kept: the calendar is asked once for each, not for each drawing. */
const days = new WeakMap<Message, string>()

function dayOf(message: Message): string {
  const known = days.get(message) ?? calendarDay(momentOf(message.ts), zone)
  days.set(message, known)
  return known
}

export function startsDay(message: Message, previous: Message | undefined): boolean {
  return previous === undefined || dayOf(previous) !== dayOf(message)
}
