import { type Http, path } from './http.ts'
import { jsonData, nothing } from './read.ts'
import { date, mapped, note, or, rows, shape, text, texts, type ValueReader } from './shape.ts'

/** One alert of a health check: who is mailed when its status changes. `type` is '' when the service gave none. */
export interface Alert {
  /** A whole number, of any length; '' where the service gave none that can be read: then it cannot be changed from here. */
  readonly id: string
  readonly type: string
  readonly recipients: readonly string[]
  /** How many parts of it came in a form that is not understood: recipients that are not among those, or its id; absent for none. */
  readonly unreadable?: number | undefined
  readonly createdAt?: Date | undefined
  readonly createdBy?: string | undefined
  readonly modifiedAt?: Date | undefined
  readonly modifiedBy?: string | undefined
}

/** What a create or an update sends; the one type that the interface names is EMAIL. */
export interface AlertBody {
  type: string
  recipients: readonly string[]
}

/** As text: a number longer than a double holds is as good as any. */
const alertId: ValueReader<string> = (value, at) => {
  const read = ['number', 'string'].includes(typeof value) ? text(value, at) : undefined
  if (read && /^-?\d+$/.test(read)) return read
  note(read || value === undefined ? null : value, at)
  return ''
}

const Recipients = shape({ id: alertId, recipients: or(texts, []) })
const Others = shape({
  type: or(text, ''),
  createdAt: date,
  createdBy: text,
  modifiedAt: date,
  modifiedBy: text,
})

/** Recipients that are no text are left out, and counted. */
const Alert: ValueReader<Alert | undefined> = (value, at) => {
  const { unread } = at.context
  const before = unread.count
  const recipients = Recipients(value, at)
  const unreadable = unread.count - before
  const others = recipients && Others(value, at)
  return others && { ...recipients, ...others, ...(unreadable > 0 && { unreadable }) }
}

const NOTHING_READ: Alert = { id: '', type: '', recipients: [], unreadable: 1 }

/** A row that is no alert at all stands for one of which nothing can be read: who counts them counts it too. */
export const readAlerts = jsonData(
  mapped(rows(Alert), ({ items, lost }) => [...items, ...Array.from({ length: lost }, () => NOTHING_READ)]),
)

export const readOneAlert = jsonData(Alert)

export type Alerts = ReturnType<typeof alerts>

/** The calls on the alerts of a health check. Each throws ApiError, and takes a signal that ends the wait. */
export function alerts(http: Http) {
  const alertsOf = (uuid: string) => path`/healthcheck/v1/healthchecks/${{ uuid }}/alerts`
  const alert = (uuid: string, id: string) => path`/healthcheck/v1/healthchecks/${{ uuid }}/alerts/${{ id }}`
  const bodyText = ({ type, recipients }: AlertBody): string => JSON.stringify({ type, recipients })
  return {
    /** All alerts of the check, those too of which not all can be read. */
    list: async (uuid: string, signal?: AbortSignal): Promise<readonly Alert[]> =>
      http.get(alertsOf(uuid), readAlerts, signal),

    create: async (uuid: string, body: AlertBody, signal?: AbortSignal): Promise<Alert> =>
      http.send('POST', alertsOf(uuid), readOneAlert, signal, bodyText(body)),

    /** Replaces type and recipients. */
    update: async (uuid: string, id: string, body: AlertBody, signal?: AbortSignal): Promise<Alert> =>
      http.send('PUT', alert(uuid, id), readOneAlert, signal, bodyText(body)),

    delete: async (uuid: string, id: string, signal?: AbortSignal): Promise<void> =>
      http.send('DELETE', alert(uuid, id), nothing, signal),
  }
}
