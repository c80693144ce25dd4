import { fromAbsolute, parseDate, parseTime } from '@internationalized/date'
import { useState } from 'react'
import {
  Button,
  Calendar,
  CalendarCell,
  CalendarGrid,
  DateInput,
  DatePicker,
  DateSegment,
  type DateValue,
  Dialog,
  Group,
  Heading,
  Popover,
  TimeField,
} from 'react-aria-components'
import { timeZone } from '../chat/times.ts'
import { Icon } from '../icon.tsx'
import { asText } from '../values.ts'
import { ariaAttributes, type Slot, useElement } from './slot.ts'

/** Converts between a date picker's value and Slack's `YYYY-MM-DD`. */
const DATE_FORMAT = { parse: parseDate, format: (value: DateValue) => value.toString() }
/** Converts between a date and time picker's value and Unix seconds. */
const DATE_TIME_FORMAT = {
  parse: (value: string) => fromAbsolute(Number(value) * 1000, timeZone()),
  format: (value: DateValue) => String(Math.floor(value.toDate(timeZone()).getTime() / 1000)),
}

/**
 * The date or time that the person is entering. If the element sends actions to the app, it sends one only on `commit`, so that the app
 * doesn't get an action for every digit. Otherwise, each change is stored immediately.
 */
function useDateDraft(slot: Slot) {
  const { value, busy, choose } = useElement(slot)
  const [draft, setDraft] = useState<string | null>()
  const currentText = asText(value)
  const dispatches = slot.input?.dispatches ?? true
  return {
    text: draft === undefined ? currentText : (draft ?? ''),
    busy,
    updateDraft: (next: string | null) => {
      if (dispatches) setDraft(next)
      else void choose(next)
    },
    commit: () => {
      if (draft !== undefined && (draft ?? '') !== currentText) void choose(draft)
      setDraft(undefined)
    },
  }
}

function Segments({ className }: { className: string }) {
  return (
    <DateInput className={className}>
      {(segment) => <DateSegment segment={segment} className="segment" />}
    </DateInput>
  )
}

function CalendarPopover() {
  return (
    <Popover className="menu calendar" placement="bottom start" offset={4}>
      <Dialog className="calendar-dialog">
        <Calendar>
          <header className="calendar-head">
            <Button slot="previous" className="button icon">
              ‹
            </Button>
            <Heading />
            <Button slot="next" className="button icon">
              ›
            </Button>
          </header>
          <CalendarGrid>{(date) => <CalendarCell date={date} className="calendar-cell" />}</CalendarGrid>
        </Calendar>
      </Dialog>
    </Popover>
  )
}

/** Renders `datepicker` and `datetimepicker`. People type the date or choose it in a calendar. */
export function DateElement({ slot }: { slot: Slot }) {
  const { text, busy, updateDraft, commit } = useDateDraft(slot)
  const isDay = slot.element.type === 'datepicker'
  const slackFormat = isDay ? DATE_FORMAT : DATE_TIME_FORMAT
  return (
    <DatePicker<DateValue>
      {...ariaAttributes(slot)}
      aria-busy={busy}
      className="date-picker"
      validationBehavior="aria"
      autoFocus={slot.element.focus_on_load ?? false}
      granularity={isDay ? 'day' : 'minute'}
      hideTimeZone
      value={text === '' ? null : slackFormat.parse(text)}
      onChange={(value) => updateDraft(value && slackFormat.format(value))}
      onBlur={commit}
      onOpenChange={(isOpen) => !isOpen && commit()}
    >
      <Group className="field date">
        <Segments className="date-input" />
        <Button className="combobox-button" aria-label="Show calendar">
          <Icon name="calendar" />
        </Button>
      </Group>
      <CalendarPopover />
    </DatePicker>
  )
}

export function TimeElement({ slot }: { slot: Slot }) {
  const { text, busy, updateDraft, commit } = useDateDraft(slot)
  return (
    <TimeField
      {...ariaAttributes(slot)}
      aria-busy={busy}
      className="date-picker"
      validationBehavior="aria"
      autoFocus={slot.element.focus_on_load ?? false}
      value={text === '' ? null : parseTime(text)}
      onChange={(value) => updateDraft(value?.toString().slice(0, 5) ?? null)}
      onBlur={commit}
    >
      <Segments className="field date date-input" />
    </TimeField>
  )
}
