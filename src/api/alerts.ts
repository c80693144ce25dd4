import type { Fields } from './fields.ts'
import type { Http } from './http.ts'
import { path } from './path.ts'
import { json, nothing } from './read.ts'

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

/** One row of the wire; the id may be quoted, and recipients that are no text are left out. */
function readAlert(row: Fields): Alert {
  const id = idOf(row)
  const { recipients, unreadable: others = 0 } = recipientsOf(row)
  const unreadable = others + (id === '' ? 1 : 0)
  return {
    id,
    type: row.text('type') ?? '',
    recipients,
    ...(unreadable > 0 && { unreadable }),
    createdAt: row.date('created_at'),
    createdBy: row.text('created_by'),
    modifiedAt: row.date('modified_at'),
    modifiedBy: row.text('modified_by'),
  }
}

/** As text: a number longer than a double holds is as good as any. */
function idOf(row: Fields): string {
  const isScalar = ['number', 'string'].includes(typeof row.record.id)
  const id = isScalar ? row.text('id') : undefined
  return row.requiredText('id', id && /^-?\d+$/.test(id) ? id : null) ?? ''
}

function recipientsOf(row: Fields): Pick<Alert, 'recipients' | 'unreadable'> {
  const before = row.unread.count
  const recipients = row.texts('recipients') ?? []
  const unreadable = row.unread.count - before
  return { recipients, ...(unreadable > 0 && { unreadable }) }
}

/** A row that is no alert at all stands for one of which nothing can be read: who counts them counts it too. */
export const readAlerts = json((body): Alert[] | undefined => {
  const rows = body.requiredObjects('data', readAlert)
  if (!rows) return undefined
  const lost = Array.from({ length: rows.sent - rows.items.length }, () => NOTHING_READ)
  return [...rows.items, ...lost]
})

const NOTHING_READ: Alert = { id: '', type: '', recipients: [], unreadable: 1 }

export const readOneAlert = json((body) => body.requiredObject('data', readAlert))

export type Alerts = ReturnType<typeof alerts>

/** The calls on the alerts of a health check. Each throws ApiError, and takes a signal that ends the wait. */
export function alerts(http: Http) {
  return {
    /** All alerts of the check, those too of which not all can be read. */
    list: async (uuid: string, signal?: AbortSignal): Promise<readonly Alert[]> =>
      http.get(path`/healthcheck/v1/healthchecks/${{ uuid }}/alerts`, { read: readAlerts, signal }),

    create: async (uuid: string, body: AlertBody, signal?: AbortSignal): Promise<Alert> =>
      http.send('POST', path`/healthcheck/v1/healthchecks/${{ uuid }}/alerts`, {
        read: readOneAlert,
        body: bodyText(body),
        signal,
      }),

    /** Replaces type and recipients. */
    update: async (uuid: string, id: string, body: AlertBody, signal?: AbortSignal): Promise<Alert> =>
      http.send('PUT', path`/healthcheck/v1/healthchecks/${{ uuid }}/alerts/${{ id }}`, {
        read: readOneAlert,
        body: bodyText(body),
        signal,
      }),

    delete: async (uuid: string, id: string, signal?: AbortSignal): Promise<void> =>
      http.send('DELETE', path`/healthcheck/v1/healthchecks/${{ uuid }}/alerts/${{ id }}`, {
        read: nothing,
        signal,
      }),
  }
}

function bodyText({ type, recipients }: AlertBody): string {
  return JSON.stringify({ type, recipients })
}
