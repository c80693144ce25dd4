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
import { timeZone } from '../chat/when.ts'
import { Icon } from '../icon.tsx'
import { asText } from '../values.ts'
import { ariaAttributes, type Slot, useElement } from './slot.ts'

/** Conversion of dates, and of dates with times, from and to Slack's format. */
const DATE_FORMAT = { read: parseDate, write: (value: DateValue) => value.toString() }
const DATE_TIME_FORMAT = {
  read: (value: string) => fromAbsolute(Number(value) * 1000, timeZone()),
  write: (value: DateValue) => String(Math.floor(value.toDate(timeZone()).getTime() / 1000)),
}

/**
 * The date or time that is being entered. Outside of forms, it is sent to the app when the person has finished, not after each digit.
 * In forms, each complete value is kept immediately.
 */
function useDraft(slot: Slot) {
  const { value, busy, choose } = useElement(slot)
  const [draft, setDraft] = useState<string | null>()
  const current = asText(value)
  const dispatches = slot.input?.dispatches ?? true
  return {
    shown: draft === undefined ? current : (draft ?? ''),
    busy,
    write: (next: string | null) => {
      if (dispatches) setDraft(next)
      else void choose(next)
    },
    commit: () => {
      if (draft !== undefined && (draft ?? '') !== current) void choose(draft)
      setDraft(undefined)
    },
  }
}

function Segments({ look }: { look: string }) {
  return (
    <DateInput className={look}>
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

/** datepicker and datetimepicker: typed, or chosen in a calendar. */
export function DateElement({ slot }: { slot: Slot }) {
  const { shown, busy, write, commit } = useDraft(slot)
  const isDay = slot.element.type === 'datepicker'
  const form = isDay ? DATE_FORMAT : DATE_TIME_FORMAT
  return (
    <DatePicker<DateValue>
      {...ariaAttributes(slot)}
      aria-busy={busy}
      className="date-picker"
      validationBehavior="aria"
      autoFocus={slot.element.focus_on_load ?? false}
      granularity={isDay ? 'day' : 'minute'}
      hideTimeZone
      value={shown === '' ? null : form.read(shown)}
      onChange={(value) => write(value && form.write(value))}
      onBlur={commit}
      onOpenChange={(isOpen) => !isOpen && commit()}
    >
      <Group className="field date">
        <Segments look="date-input" />
        <Button className="combobox-button" aria-label="Show calendar">
          <Icon name="calendar" />
        </Button>
      </Group>
      <CalendarPopover />
    </DatePicker>
  )
}

export function TimeElement({ slot }: { slot: Slot }) {
  const { shown, busy, write, commit } = useDraft(slot)
  return (
    <TimeField
      {...ariaAttributes(slot)}
      aria-busy={busy}
      className="date-picker"
      validationBehavior="aria"
      autoFocus={slot.element.focus_on_load ?? false}
      value={shown === '' ? null : parseTime(shown)}
      onChange={(value) => write(value?.toString().slice(0, 5) ?? null)}
      onBlur={commit}
    >
      <Segments look="field date date-input" />
    </TimeField>
  )
}
