import { z } from 'zod'
import type { Http } from './http.ts'
import { path } from './path.ts'
import { json, nothing } from './read.ts'
import { asDate, asText, loose, readEach } from './scalars.ts'

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
export const Alert = z.compile(
  z
    .object({
      id: z.union([z.int(), z.string().regex(/^\d{1,15}$/)]),
      type: loose,
      recipients: loose,
      created_at: loose,
      created_by: loose,
      modified_at: loose,
      modified_by: loose,
    })
    .transform(
      (row): Alert => ({
        id: Number(row.id),
        type: asText(row.type) ?? '',
        ...recipientsOf(row.recipients),
        createdAt: asDate(row.created_at),
        createdBy: asText(row.created_by),
        modifiedAt: asDate(row.modified_at),
        modifiedBy: asText(row.modified_by),
      }),
    ),
)

/** A list of texts; one text alone is a list of one. */
function recipientsOf(value: unknown): Pick<Alert, 'recipients' | 'unreadable'> {
  const all: unknown[] = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]
  const recipients = all.filter((recipient) => typeof recipient === 'string')
  const unreadable = all.length - recipients.length
  return { recipients, ...(unreadable > 0 && { unreadable }) }
}

export const AlertsAnswer = z.compile(
  z.object({ data: z.array(z.unknown()) }).transform(({ data }) => readEach(Alert, data).read),
)

export const AlertAnswer = z.compile(z.object({ data: Alert }).transform(({ data }) => data))

export type Alerts = ReturnType<typeof alerts>

/** The calls on the alerts of a health check. Each throws ApiError, and takes a signal that ends the wait. */
export function alerts(http: Http) {
  const readOne = json(AlertAnswer)
  const readList = json(AlertsAnswer)
  return {
    /** All alerts of the check; one that cannot be read is missing. */
    list: async (uuid: string, signal?: AbortSignal): Promise<readonly Alert[]> =>
      http.get(path`/healthcheck/v1/healthchecks/${uuid}/alerts`, { read: readList, signal }),

    create: async (uuid: string, body: AlertBody, signal?: AbortSignal): Promise<Alert> =>
      http.send('POST', path`/healthcheck/v1/healthchecks/${uuid}/alerts`, {
        read: readOne,
        body: bodyText(body),
        signal,
      }),

    /** Replaces type and recipients. */
    update: async (uuid: string, id: number, body: AlertBody, signal?: AbortSignal): Promise<Alert> =>
      http.send('PUT', path`/healthcheck/v1/healthchecks/${uuid}/alerts/${id}`, {
        read: readOne,
        body: bodyText(body),
        signal,
      }),

    delete: async (uuid: string, id: number, signal?: AbortSignal): Promise<void> =>
      http.send('DELETE', path`/healthcheck/v1/healthchecks/${uuid}/alerts/${id}`, { read: nothing, signal }),
  }
}

function bodyText({ type, recipients }: AlertBody): string {
  return JSON.stringify({ type, recipients })
}
