import { randomUUID } from 'node:crypto'
import type { Database } from './database.ts'
import { HttpError } from './http-error.ts'

export const STATUSES = ['INSTALLING', 'HEALTHY', 'UNHEALTHY'] as const
export const PROTOCOLS = ['TCP', 'HTTP', 'HTTPS'] as const
export type Status = (typeof STATUSES)[number]
export type Protocol = (typeof PROTOCOLS)[number]

/**
 * The fields that a client can set. `http_server_address` and `verify_ssl` are null if the protocol doesn't use them or the client
 * omitted them.
 */
export interface HealthCheckSettings {
  name: string
  customer_id: number
  protocol: Protocol
  target: string
  port: number
  frequency: number
  http_server_address: string | null
  verify_ssl: boolean | null
}

export interface HealthCheckRow extends Omit<HealthCheckSettings, 'verify_ssl'> {
  uuid: string
  status: Status
  verify_ssl: 0 | 1 | null
  created_at: string
  created_by: string
  modified_at: string
  modified_by: string
}

export interface NewHealthCheck extends HealthCheckSettings {
  uuid?: string
  status?: Status
  /** `USER` by default. */
  createdBy?: string
}

/** The user that all tokens belong to. */
export const USER = 'sandbox-user'

export const COLUMNS = `uuid, name, status, customer_id, protocol, target, port, frequency, http_server_address, verify_ssl,
  created_at, created_by, modified_at, modified_by`

const INSERT = `INSERT INTO health_check (environment, uuid, name, name_key, status, customer_id, protocol, target, target_key,
  port, frequency, http_server_address, verify_ssl, created_at, created_by, modified_at, modified_by)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

export type HealthCheckStore = ReturnType<typeof createHealthCheckStore>

function toFlag(value: boolean | null): 0 | 1 | null {
  if (value === null) return null
  return value ? 1 : 0
}

/** Names and targets are compared in this form, which ignores case. */
export const toComparable = (text: string): string => text.toLowerCase()

/** Returns the check's uuid. */
function insertRow(db: Database, environment: string, check: NewHealthCheck, now: Date): string {
  const uuid = check.uuid ?? randomUUID()
  const timestamp = now.toISOString()
  const createdBy = check.createdBy ?? USER
  db.run(INSERT, [
    environment,
    uuid,
    check.name,
    toComparable(check.name),
    check.status ?? 'INSTALLING',
    check.customer_id,
    check.protocol,
    check.target,
    toComparable(check.target),
    check.port,
    check.frequency,
    check.http_server_address,
    toFlag(check.verify_ssl),
    timestamp,
    createdBy,
    timestamp,
    createdBy,
  ])
  return uuid
}

/** Replaces all settings. */
function replaceRow(
  db: Database,
  environment: string,
  uuid: string,
  check: HealthCheckSettings,
  now: Date,
): void {
  db.run(
    `UPDATE health_check SET name = ?, name_key = ?, customer_id = ?, protocol = ?, target = ?, target_key = ?, port = ?,
       frequency = ?, http_server_address = ?, verify_ssl = ?, modified_at = ?, modified_by = ?
     WHERE environment = ? AND uuid = ?`,
    [
      check.name,
      toComparable(check.name),
      check.customer_id,
      check.protocol,
      check.target,
      toComparable(check.target),
      check.port,
      check.frequency,
      check.http_server_address,
      toFlag(check.verify_ssl),
      now.toISOString(),
      USER,
      environment,
      uuid,
    ],
  )
}

function createCountQueries(db: Database, environment: string) {
  return {
    /** How many checks have been added in bulk: the highest number in their names. */
    bulkCount(): number {
      const last = db.get<{ name: string }>(
        `SELECT name FROM health_check WHERE environment = ? AND name_key >= 'bulk-' AND name_key < 'bulk.'
         ORDER BY name_key DESC LIMIT 1`,
        [environment],
      )
      return Number(/^bulk-(\d+)$/.exec(last?.name ?? '')?.[1] ?? 0)
    },
    count(): number {
      return (
        db.get<{ n: number }>('SELECT count(*) AS n FROM health_check WHERE environment = ?', [environment])
          ?.n ?? 0
      )
    },
  }
}

/**
 * Stores the health checks of one environment. `create` and `replace` throw a 409 if the customer already has a check with the same
 * name, ignoring case.
 */
export function createHealthCheckStore(db: Database, environment: string) {
  const findOrThrow = (uuid: string): HealthCheckRow => {
    const row = db.get<HealthCheckRow>(
      `SELECT ${COLUMNS} FROM health_check WHERE environment = ? AND uuid = ?`,
      [environment, uuid.toLowerCase()],
    )
    if (!row) throw new HttpError(404, `There is no health check ${uuid}.`)
    return row
  }

  const throwIfDuplicate = ({ name, customer_id }: HealthCheckSettings, ownUuid = ''): void => {
    const duplicate = db.get(
      'SELECT uuid FROM health_check WHERE environment = ? AND customer_id = ? AND name_key = ? AND uuid <> ?',
      [environment, customer_id, toComparable(name), ownUuid],
    )
    if (duplicate)
      throw new HttpError(
        409,
        `Customer ${customer_id} already has a health check with this name; choose another name.`,
      )
  }

  return {
    ...createCountQueries(db, environment),
    /** Returns the check, or throws a 404. */
    findOrThrow,
    insert: (check: NewHealthCheck, now: Date): string => insertRow(db, environment, check, now),
    create(check: HealthCheckSettings, now: Date): HealthCheckRow {
      throwIfDuplicate(check)
      const uuid = insertRow(db, environment, check, now)
      return findOrThrow(uuid)
    },
    /** Replaces all settings of the check. */
    replace(uuid: string, check: HealthCheckSettings, now: Date): HealthCheckRow {
      const { uuid: id } = findOrThrow(uuid)
      throwIfDuplicate(check, id)
      replaceRow(db, environment, id, check, now)
      return findOrThrow(id)
    },
    /** Deletes the check together with its alerts. */
    remove(uuid: string): HealthCheckRow {
      const row = findOrThrow(uuid)
      db.run('DELETE FROM health_check WHERE environment = ? AND uuid = ?', [environment, row.uuid])
      return row
    },
    setStatus(uuid: string, status: Status): void {
      db.run('UPDATE health_check SET status = ? WHERE environment = ? AND uuid = ?', [
        status,
        environment,
        uuid,
      ])
    },
    /** Sets the status of a check that is still being installed. */
    finishInstalling(uuid: string): void {
      db.run(
        "UPDATE health_check SET status = 'HEALTHY' WHERE environment = ? AND uuid = ? AND status = 'INSTALLING'",
        [environment, uuid],
      )
    },
  }
}
