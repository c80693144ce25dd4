import {
  type CalendarDate,
  fromAbsolute,
  getLocalTimeZone,
  parseDate,
  parseTime,
  type Time,
  type ZonedDateTime,
} from '@internationalized/date'
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
import { Icon } from '../icon.tsx'
import { asText } from '../values.ts'
import { ariaAttributes, type Slot, useElement } from './slot.ts'

const toDate = (value: string): CalendarDate | null => (value === '' ? null : parseDate(value))
const toTime = (value: string): Time | null => (value === '' ? null : parseTime(value))
const toMoment = (value: string): ZonedDateTime | null =>
  value === '' ? null : fromAbsolute(Number(value) * 1000, getLocalTimeZone())

/**
 * What is being put into a date or time. The app hears of it when the person is through, not of every digit on the way;
 * a form holds each whole value at once.
 */
function useDraft(slot: Slot) {
  const { value, busy, choose } = useElement(slot)
  const [draft, setDraft] = useState<string | null>()
  const held = asText(value)
  const dispatches = slot.input?.dispatches ?? true
  return {
    shown: draft === undefined ? held : (draft ?? ''),
    busy,
    write: (next: string | null) => {
      if (dispatches) setDraft(next)
      else void choose(next)
    },
    done: () => {
      if (draft !== undefined && (draft ?? '') !== held) void choose(draft)
      setDraft(undefined)
    },
  }
}

function Segments() {
  return (
    <DateInput className="date-input">
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

/** datepicker and datetimepicker: typed part by part, or chosen in a calendar. */
export function DateElement({ slot, kind }: { slot: Slot; kind: 'datepicker' | 'datetimepicker' }) {
  const { shown, busy, write, done } = useDraft(slot)
  const shared = {
    ...ariaAttributes(slot),
    'aria-busy': busy,
    className: 'date-picker',
    validationBehavior: 'aria' as const,
    onBlur: done,
    onOpenChange: (isOpen: boolean) => !isOpen && done(),
    autoFocus: slot.element.focus_on_load ?? false,
  }
  const inside = (
    <>
      <Group className="field date">
        <Segments />
        <Button className="combobox-button" aria-label="Show calendar">
          <Icon name="calendar" />
        </Button>
      </Group>
      <CalendarPopover />
    </>
  )
  const readMoment = (value: DateValue | null) =>
    value === null ? null : String(Math.floor(value.toDate(getLocalTimeZone()).getTime() / 1000))
  return kind === 'datepicker' ? (
    <DatePicker<CalendarDate>
      {...shared}
      value={toDate(shown)}
      onChange={(value) => write(value?.toString() ?? null)}
    >
      {inside}
    </DatePicker>
  ) : (
    <DatePicker<ZonedDateTime>
      {...shared}
      granularity="minute"
      hideTimeZone
      value={toMoment(shown)}
      onChange={(value) => write(readMoment(value))}
    >
      {inside}
    </DatePicker>
  )
}

export function TimeElement({ slot }: { slot: Slot }) {
  const { shown, busy, write, done } = useDraft(slot)
  return (
    <TimeField
      {...ariaAttributes(slot)}
      aria-busy={busy}
      className="date-picker"
      validationBehavior="aria"
      autoFocus={slot.element.focus_on_load ?? false}
      value={toTime(shown)}
      onChange={(value) => write(value?.toString().slice(0, 5) ?? null)}
      onBlur={done}
    >
      <DateInput className="field date date-input">
        {(segment) => <DateSegment segment={segment} className="segment" />}
      </DateInput>
    </TimeField>
  )
}
