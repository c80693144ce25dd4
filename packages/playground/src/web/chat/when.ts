import type { Message } from '../../protocol.ts'
import { dayOf as calendarDay } from '../text/date.ts'

const GROUP_SECONDS = 300

const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone
let zone = BROWSER_ZONE

/** Shows all times in the time zone of the person the page acts as; by default the browser's. */
export function drawTimesIn(timeZone = BROWSER_ZONE): void {
  zone = timeZone
}

export const timeZone = (): string => zone

export function toDate(ts: string): Date {
  return new Date(Number(ts) * 1000)
}

/** How `{time}` in a text is shown: one form for all times on the page. */
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
export function continues(message: Message, previous: Message | undefined): boolean {
  return (
    previous !== undefined &&
    previous.user === message.user &&
    !previous.ephemeral &&
    !message.ephemeral &&
    Number(message.ts) - Number(previous.ts) < GROUP_SECONDS
  )
}

/** The day of a message, cached: computed once per message, not for each render. */
const days = new WeakMap<Message, string>()

function dayOf(message: Message): string {
  const known = days.get(message) ?? calendarDay(toDate(message.ts), zone)
  days.set(message, known)
  return known
}

export function startsDay(message: Message, previous: Message | undefined): boolean {
  return previous === undefined || dayOf(previous) !== dayOf(message)
}
