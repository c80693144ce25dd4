import type { Message } from '../../protocol.ts'
import { isoDay as calendarDay } from '../text/date.ts'

const GROUP_SECONDS = 300

const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone
let zone = BROWSER_ZONE

/** Sets the time zone of all times on the page: the acting person's, by default the browser's. */
export function setTimeZone(timeZone = BROWSER_ZONE): void {
  zone = timeZone
}

export const timeZone = (): string => zone

export function toDate(ts: string): Date {
  return new Date(Number(ts) * 1000)
}

/** The format of all times on the page, and of `{time}` in dates. */
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

/** Whether a message continues the previous one: same author, visible to everyone, within five minutes. */
export function continuesPrevious(message: Message, previous: Message | undefined): boolean {
  return (
    previous !== undefined &&
    previous.user === message.user &&
    !previous.ephemeral &&
    !message.ephemeral &&
    Number(message.ts) - Number(previous.ts) < GROUP_SECONDS
  )
}

/** The day of each message, cached because it is needed for each render. */
const days = new WeakMap<Message, string>()

function messageDay(message: Message): string {
  const known = days.get(message) ?? calendarDay(toDate(message.ts), zone)
  days.set(message, known)
  return known
}

export function startsDay(message: Message, previous: Message | undefined): boolean {
  return previous === undefined || messageDay(previous) !== messageDay(message)
}
