import { isRecord } from '@signalman/runtime'
import { z } from 'zod'
import { decodeData, decodeDone, decodeList } from './decode.ts'
import { type Http, path } from './http.ts'
import { readObject, readRows } from './lenient.ts'
import type { ParseIssueCollector } from './parse-issues.ts'
import { compileOnUse, fields, type Output, text, textOrEmpty, texts } from './schema.ts'

/** The body of a create or update; EMAIL is the only type in the interface. */
export interface AlertBody {
  type: string
  recipients: readonly string[]
}

const AlertSchema = compileOnUse(
  fields({
    // Parsed as text, so that an ID of any length keeps its digits.
    id: z
      .union([z.string().regex(/^-?\d+$/), z.int().transform(String)])
      .nullish()
      .transform((value) => value ?? ''),
    type: textOrEmpty,
    recipients: texts.transform((value): readonly string[] => value ?? []),
    created_at: text,
    created_by: text,
    modified_at: text,
    modified_by: text,
  }),
)

/**
 * One alert of a health check: who gets email when its status changes. Without an ID, which is '' then, it can't be changed. `type` is
 * '' if the service returned none. Times are as the service wrote them, for `parseDate`.
 */
export interface Alert extends Output<typeof AlertSchema> {
  /** How many parts couldn't be parsed: the ID, or recipients, which are then missing here. Undefined if none. */
  readonly unreadable?: number | undefined
}

function readAlert(value: unknown, at: string, issues: ParseIssueCollector): Alert | undefined {
  const alert = readObject(AlertSchema, value, at, issues)
  if (!alert || !isRecord(value)) return undefined
  const unreadable =
    [value.recipients ?? []].flat().length - alert.recipients.length + (alert.id === '' ? 1 : 0)
  return unreadable > 0 ? { ...alert, unreadable } : alert
}

const UNREADABLE_ALERT: Alert = { id: '', type: '', recipients: [], unreadable: 1 }

/** Decodes the alerts of a check. A row that can't be parsed becomes `UNREADABLE_ALERT`, so that the number of alerts is right. */
export const decodeAlerts = decodeList((list, issues): readonly Alert[] => {
  const { rows, lost } = readRows(list, 'data', issues, readAlert)
  return [...rows, ...Array.from({ length: lost }, () => ({ ...UNREADABLE_ALERT }))]
})

export const decodeAlert = decodeData((data, issues) => readAlert(data, 'data', issues))

export type Alerts = ReturnType<typeof alerts>

/** The operations on a health check's alerts. Each throws ApiError. */
export function alerts(http: Http) {
  const alertsPath = (uuid: string) => path('/healthcheck/v1/healthchecks/{uuid}/alerts', { uuid })
  const alertPath = (uuid: string, id: string) =>
    path('/healthcheck/v1/healthchecks/{uuid}/alerts/{id}', { uuid, id })
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
