import { ApiError } from '../../../api/errors.ts'
import type { Api } from '../../../api/service.ts'
import { applyAlerts } from './alert-lists.ts'
import type { Change } from './change.ts'
import { bodyFrom, differing } from './change-fields.ts'
import type { Present } from './prepare.ts'

/** Writes a change that was prepared, and returns the UUID of its check. Throws ApiError. */
export async function carryOut(api: Api, change: Change, now: Present | undefined): Promise<string> {
  switch (change.do) {
    case 'create': {
      const uuid = now?.uuid ?? (await api.healthChecks.create(change.body)).uuid
      if (change.alerts.length > 0)
        await applyAlerts(api.alerts, uuid, now?.alerts ?? [], change.alerts).catch(withoutAlerts)
      return uuid
    }
    case 'edit': {
      const { uuid, after, alerts } = change
      if (!after || !now) throw new Error('An edit is carried out as it was prepared.')
      const body = bodyFrom(after.fields)
      if (body && differing(now.fields, after.fields).length > 0) await api.healthChecks.update(uuid, body)
      if (alerts) await applyAlerts(api.alerts, uuid, now.alerts, after.alerts)
      return uuid
    }
    case 'delete':
      await api.healthChecks.delete(change.uuid)
      return change.uuid
  }
}

function withoutAlerts(error: unknown): never {
  if (!(error instanceof ApiError) || error.mayHaveHappened) throw error
  const { kind, message, status, codes, retryAfterSeconds } = error
  const said = ['It is there, and its alerts are not.', ...error.said]
  throw new ApiError(kind, message, { status, said, codes, retryAfterSeconds })
}
