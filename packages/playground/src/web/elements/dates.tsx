import { asText } from '../values.ts'
import { controlAttributes, type Slot, useElement } from './slot.ts'

function pad(value: number): string {
  return String(value).padStart(2, '0')
}

/** Unix seconds as the browser's local date-and-time field writes them. */
function toLocal(seconds: string): string {
  if (seconds === '') return ''
  const at = new Date(Number(seconds) * 1000)
  const date = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
  return `${date}T${pad(at.getHours())}:${pad(at.getMinutes())}`
}

function fromLocal(value: string): string {
  return String(Math.floor(new Date(value).getTime() / 1000))
}

const KINDS = {
  datepicker: { type: 'date', show: (value: string) => value, read: (value: string) => value },
  timepicker: { type: 'time', show: (value: string) => value, read: (value: string) => value },
  datetimepicker: { type: 'datetime-local', show: toLocal, read: fromLocal },
}

/** datepicker, timepicker and datetimepicker: the browser's own fields. */
export function DateElement({ slot, kind }: { slot: Slot; kind: keyof typeof KINDS }) {
  const { value, choose } = useElement(slot)
  const { type, show, read } = KINDS[kind]
  return (
    <input
      {...controlAttributes(slot)}
      className="field date"
      type={type}
      title={slot.element.placeholder?.text}
      value={show(asText(value))}
      data-autofocus={slot.element.focus_on_load}
      onChange={(event) => {
        const typed = event.currentTarget.value
        void choose(typed === '' ? null : read(typed))
      }}
    />
  )
}
