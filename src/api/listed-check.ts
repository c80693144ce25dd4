import { asDate, isTimeLike } from './dates.ts'
import type { Fields } from './fields.ts'
import type { HealthCheck } from './health-checks.ts'
import type { Hide } from './hide.ts'

/** A row as the interface shows it: nothing is quoted or of another type, and what is missing is left out. */
interface PlainRow {
  uuid: string
  name?: string
  status?: string
  customer_id?: number
  protocol?: string
  target?: string
  port?: number
  frequency?: number
  created_at?: string
  created_by?: string
  modified_at?: string
  modified_by?: string
  http_server_address?: string
  verify_ssl?: boolean
}

/**
 * A health check among the 500 of a page, of which little is shown: each part is made of the row when it is asked for.
 * Nothing of it but the uuid is an own property, so that it is not to be copied by spreading.
 */
class ListedCheck implements HealthCheck {
  readonly uuid: string
  readonly #row: PlainRow
  readonly #hide: Hide

  constructor(row: PlainRow, hide: Hide) {
    this.uuid = hide(row.uuid)
    this.#row = row
    this.#hide = hide
  }

  get name(): string {
    return hidden(this.#hide, this.#row.name) ?? ''
  }
  get status(): string {
    return hidden(this.#hide, this.#row.status) ?? ''
  }
  get customerId(): number | undefined {
    return this.#row.customer_id
  }
  get protocol(): string | undefined {
    return hidden(this.#hide, this.#row.protocol)
  }
  get target(): string | undefined {
    return hidden(this.#hide, this.#row.target)
  }
  get port(): number | undefined {
    return this.#row.port
  }
  get frequency(): number | undefined {
    return this.#row.frequency
  }
  get createdAt(): Date | undefined {
    return asDate(this.#row.created_at)
  }
  get createdBy(): string | undefined {
    return hidden(this.#hide, this.#row.created_by)
  }
  get modifiedAt(): Date | undefined {
    return asDate(this.#row.modified_at)
  }
  get modifiedBy(): string | undefined {
    return hidden(this.#hide, this.#row.modified_by)
  }
  get httpServerAddress(): string | undefined {
    return hidden(this.#hide, this.#row.http_server_address)
  }
  get verifySsl(): boolean | undefined {
    return this.#row.verify_ssl
  }
}

/** Undefined for a row in which anything is not as the interface shows it: that takes the tolerant reader. */
export function listedCheck({ record, hide }: Fields): HealthCheck | undefined {
  return isPlain(record) ? new ListedCheck(record, hide) : undefined
}

function isPlain(
  row: Readonly<Record<string, unknown>>,
): row is Readonly<Record<string, unknown>> & PlainRow {
  return (
    typeof row.uuid === 'string' &&
    row.uuid !== '' &&
    isText(row.name) &&
    isText(row.status) &&
    isWhole(row.customer_id) &&
    isText(row.protocol) &&
    isText(row.target) &&
    isWhole(row.port) &&
    isWhole(row.frequency) &&
    isTime(row.created_at) &&
    isText(row.created_by) &&
    isTime(row.modified_at) &&
    isText(row.modified_by) &&
    isText(row.http_server_address) &&
    (row.verify_ssl === undefined || typeof row.verify_ssl === 'boolean')
  )
}

const isText = (value: unknown): boolean => value === undefined || typeof value === 'string'
const isWhole = (value: unknown): boolean => value === undefined || Number.isSafeInteger(value)
const isTime = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && isTimeLike(value))

const hidden = (hide: Hide, text: string | undefined): string | undefined =>
  text === undefined ? undefined : hide(text)
