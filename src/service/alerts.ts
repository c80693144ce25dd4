import { isRecord } from '@signalman/runtime'
import { z } from 'zod'
import { type DecodeContext, decodeData, decodeDone, decodeList } from './decode.ts'
import { type Http, path } from './http.ts'
import { readObject, readRows } from './lenient.ts'
import { compileOnUse, fields, text, texts } from './schema.ts'

/** One alert of a health check: who gets email when its status changes. `type` is '' if the service returned none. */
export interface Alert {
  /** An integer of any length; '' if it couldn't be parsed. Without it, the alert can't be changed. */
  readonly id: string
  readonly type: string
  readonly recipients: readonly string[]
  /** How many parts couldn't be parsed: the ID, or recipients, which are then missing here. Undefined if none. */
  readonly unreadable?: number | undefined
  /** The times as the service wrote them, for `parseDate`. */
  readonly createdAt?: string | undefined
  readonly createdBy?: string | undefined
  readonly modifiedAt?: string | undefined
  readonly modifiedBy?: string | undefined
}

/** The body of a create or update; EMAIL is the only type in the interface. */
export interface AlertBody {
  type: string
  recipients: readonly string[]
}

/** Parsed as text, so that an ID of any length keeps its digits. */
const alertId = z.union([z.string().regex(/^-?\d+$/), z.int().transform(String)]).optional()

const RecipientsSchema = compileOnUse(
  z
    .object({ id: alertId, recipients: texts })
    .transform(({ id, recipients }) => ({ id: id ?? '', recipients: recipients ?? [] })),
)

const AlertSchema = compileOnUse(
  fields({ type: text, created_at: text, created_by: text, modified_at: text, modified_by: text }).transform(
    (row) => ({ ...row, type: row.type ?? '' }),
  ),
)

/** Parses the ID and recipients first, with a schema of their own, to count how many of them are unreadable. */
function readAlert(value: unknown, at: string, context: DecodeContext): Alert | undefined {
  const countBefore = context.issues.count
  const recipients = readObject(RecipientsSchema, normalizeAlert(value), at, context)
  const unreadable = context.issues.count - countBefore
  const fields = recipients && readObject(AlertSchema, value, at, context)
  return fields && { ...recipients, ...fields, ...(unreadable > 0 && { unreadable }) }
}

/** Turns a single recipient into a list, and a missing ID into null, so that it is reported as unreadable. */
function normalizeAlert(value: unknown): unknown {
  if (!isRecord(value)) return value
  const { id = null, recipients } = value
  return { id, recipients: typeof recipients === 'string' ? [recipients] : recipients }
}

const UNREADABLE_ALERT: Alert = { id: '', type: '', recipients: [], unreadable: 1 }

/** Decodes the alerts of a check. A row that can't be parsed becomes `UNREADABLE_ALERT`, so that the number of alerts is right. */
export const decodeAlerts = decodeList((list, context): readonly Alert[] => {
  const { rows, lost } = readRows(list, 'data', context, (row, at) => readAlert(row, at, context))
  return [...rows, ...Array.from({ length: lost }, () => ({ ...UNREADABLE_ALERT }))]
})

export const decodeAlert = decodeData((data, context) => readAlert(data, 'data', context))

export type Alerts = ReturnType<typeof alerts>

/** The operations on a health check's alerts. Each throws ApiError. */
export function alerts(http: Http) {
  const alertsPath = (uuid: string) => path`/healthcheck/v1/healthchecks/${{ uuid }}/alerts`
  const alertPath = (uuid: string, id: string) =>
    path`/healthcheck/v1/healthchecks/${{ uuid }}/alerts/${{ id }}`
  const bodyText = ({ type, recipients }: AlertBody): string => JSON.stringify({ type, recipients })
  return {
    /** All alerts of the check, including partly unreadable ones. */
    list: async (uuid: string, signal?: AbortSignal): Promise<readonly Alert[]> =>
      http.get(alertsPath(uuid), decodeAlerts, signal),

    create: async (uuid: string, body: AlertBody): Promise<Alert> =>
      http.send('POST', alertsPath(uuid), decodeAlert, bodyText(body)),

    /** Replaces type and recipients. */
    update: async (uuid: string, id: string, body: AlertBody): Promise<Alert> =>
      http.send('PUT', alertPath(uuid, id), decodeAlert, bodyText(body)),

    delete: async (uuid: string, id: string): Promise<void> =>
      void (await http.send('DELETE', alertPath(uuid, id), decodeDone)),
  }
}
