import type { Database } from './database.ts'
import { type Field, findProblems, type JsonObject, oneOf, throwIfInvalid, type Validator } from './fields.ts'
import { type HealthCheckStore, USER } from './health-check-store.ts'
import type { Server } from './http.ts'
import { HttpError } from './http-error.ts'
import { readJsonObject } from './read-body.ts'

interface AlertRow {
  id: number
  type: string
  /** A JSON list of strings. */
  recipients: string
  created_at: string
  created_by: string
  modified_at: string
  modified_by: string
}

const COLUMNS = 'id, type, recipients, created_at, created_by, modified_at, modified_by'

const validateRecipients: Validator = (value) =>
  Array.isArray(value) && value.length > 0 ? undefined : 'must be a list of at least one email address'

const FIELDS: Record<string, Field> = {
  type: { required: true, validate: oneOf(['EMAIL']) },
  recipients: { required: true, validate: validateRecipients },
}

// The email format of HTML's own email field, with a dot in the domain.
const EMAIL =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

const isEmail = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 254 && EMAIL.test(value)

function readAlert(body: JsonObject): { type: string; recipients: string[] } {
  const problems = findProblems(body, FIELDS)
  const { recipients } = body
  if (Array.isArray(recipients))
    recipients.forEach((recipient, index) => {
      const field = `recipients[${index}]`
      if (!isEmail(recipient)) problems.push({ field, message: `${field} is not an email address.` })
    })
  throwIfInvalid(problems)
  // Validated field by field above.
  return body as { type: string; recipients: string[] }
}

const toAlert = (row: AlertRow) => ({ ...row, recipients: JSON.parse(row.recipients) })

interface ByUuid {
  Params: { uuid: string }
}
interface ById {
  Params: { uuid: string; id: string }
}

/** Adds the routes that list, create, update, and delete a check's alerts. Only the list returns IDs as strings. */
export function addAlertRoutes(
  server: Server,
  { db, environment, checks }: { db: Database; environment: string; checks: HealthCheckStore },
): void {
  const path = '/healthcheck/v1/healthchecks/:uuid/alerts'

  const findOrThrow = (params: ById['Params']): AlertRow => {
    const { uuid } = checks.findOrThrow(params.uuid)
    const row = /^\d{1,15}$/.test(params.id)
      ? db.get<AlertRow>(
          `SELECT ${COLUMNS} FROM alert WHERE environment = ? AND health_check = ? AND id = ?`,
          [environment, uuid, Number(params.id)],
        )
      : undefined
    if (!row) throw new HttpError(404, `The health check has no alert ${params.id}.`)
    return row
  }

  server.get<ByUuid>(path, async ({ params }) => {
    const rows = db.all<AlertRow>(
      `SELECT ${COLUMNS} FROM alert WHERE environment = ? AND health_check = ? ORDER BY id`,
      [environment, checks.findOrThrow(params.uuid).uuid],
    )
    return { message: 'OK', data: rows.map((row) => ({ ...toAlert(row), id: String(row.id) })) }
  })

  server.post<ByUuid>(path, async (request) => {
    const { uuid } = checks.findOrThrow(request.params.uuid)
    const { type, recipients } = readAlert(readJsonObject(request))
    const id = insertAlert(db, environment, { healthCheck: uuid, type, recipients }, new Date())
    return { message: 'OK', data: toAlert(findOrThrow({ uuid, id: String(id) })) }
  })

  server.put<ById>(`${path}/:id`, async (request) => {
    const { id } = findOrThrow(request.params)
    const { type, recipients } = readAlert(readJsonObject(request))
    db.run('UPDATE alert SET type = ?, recipients = ?, modified_at = ?, modified_by = ? WHERE id = ?', [
      type,
      JSON.stringify(recipients),
      new Date().toISOString(),
      USER,
      id,
    ])
    return { message: 'OK', data: toAlert(findOrThrow(request.params)) }
  })

  server.delete<ById>(`${path}/:id`, async ({ params }) => {
    db.run('DELETE FROM alert WHERE id = ?', [findOrThrow(params).id])
    return { message: 'OK' }
  })
}

/** Stores an alert for a check and returns the alert's ID. */
export function insertAlert(
  db: Database,
  environment: string,
  { healthCheck, type, recipients }: { healthCheck: string; type: string; recipients: readonly string[] },
  now: Date,
): number {
  const timestamp = now.toISOString()
  return db.run(
    `INSERT INTO alert (environment, health_check, type, recipients, created_at, created_by, modified_at, modified_by)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [environment, healthCheck, type, JSON.stringify(recipients), timestamp, USER, timestamp, USER],
  ).id
}
