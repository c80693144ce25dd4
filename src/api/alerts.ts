import type { Fields } from './fields.ts'
import type { Http } from './http.ts'
import { path } from './path.ts'
import { json, nothing } from './read.ts'

/** One alert of a health check: who is mailed when its status changes. `type` is '' when the service gave none. */
export interface Alert {
  readonly id: number
  readonly type: string
  readonly recipients: readonly string[]
  /** How many recipients came in a form that is not understood, and are not among `recipients`; absent for none. */
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
function readAlert(row: Fields): Alert | undefined {
  const id = row.requiredCount('id')
  if (id === undefined) return undefined
  return {
    id,
    type: row.text('type') ?? '',
    ...recipientsOf(row),
    createdAt: row.date('created_at'),
    createdBy: row.text('created_by'),
    modifiedAt: row.date('modified_at'),
    modifiedBy: row.text('modified_by'),
  }
}

function recipientsOf(row: Fields): Pick<Alert, 'recipients' | 'unreadable'> {
  const before = row.unread.count
  const recipients = row.texts('recipients') ?? []
  const unreadable = row.unread.count - before
  return { recipients, ...(unreadable > 0 && { unreadable }) }
}

export const readAlerts = json((body) => body.requiredObjects('data', readAlert)?.items)

export const readOneAlert = json((body) => body.requiredObject('data', readAlert))

export type Alerts = ReturnType<typeof alerts>

/** The calls on the alerts of a health check. Each throws ApiError, and takes a signal that ends the wait. */
export function alerts(http: Http) {
  return {
    /** All alerts of the check; one that cannot be read is missing. */
    list: async (uuid: string, signal?: AbortSignal): Promise<readonly Alert[]> =>
      http.get(path`/healthcheck/v1/healthchecks/${{ uuid }}/alerts`, { read: readAlerts, signal }),

    create: async (uuid: string, body: AlertBody, signal?: AbortSignal): Promise<Alert> =>
      http.send('POST', path`/healthcheck/v1/healthchecks/${{ uuid }}/alerts`, {
        read: readOneAlert,
        body: bodyText(body),
        signal,
      }),

    /** Replaces type and recipients. */
    update: async (uuid: string, id: number, body: AlertBody, signal?: AbortSignal): Promise<Alert> =>
      http.send('PUT', path`/healthcheck/v1/healthchecks/${{ uuid }}/alerts/${{ id }}`, {
        read: readOneAlert,
        body: bodyText(body),
        signal,
      }),

    delete: async (uuid: string, id: number, signal?: AbortSignal): Promise<void> =>
      http.send('DELETE', path`/healthcheck/v1/healthchecks/${{ uuid }}/alerts/${{ id }}`, {
        read: nothing,
        signal,
      }),
  }
}

function bodyText({ type, recipients }: AlertBody): string {
  return JSON.stringify({ type, recipients })
}
