import { ApiError } from '../../../../src/service/errors.ts'
import type { HealthCheck, HealthCheckBody, HealthCheckQuery } from '../../../../src/service/health-checks.ts'
import { type Api, accountFromToken } from '../../../../src/service/service.ts'

/** How a listing shows server addresses and `verify_ssl`, which the API doesn't specify. */
export const READINGS = ['given', 'never', 'always', 'ssl-only', 'lag'] as const
export type Reading = (typeof READINGS)[number]

/** The service's true state of a check. */
export interface Truth {
  readonly uuid: string
  readonly name: string
  readonly customerId: number
  readonly protocol: string
  readonly target: string
  readonly port: number
  readonly frequency: number
  readonly given?: string | undefined
  readonly verifySsl?: boolean | undefined
  readonly modifiedAt: Date
  readonly alerts: readonly { readonly id: string; readonly recipients: readonly string[] }[]
}

/** A request that changed something. */
export interface Change {
  readonly by: string
  readonly account: string
  readonly op: 'create' | 'update' | 'delete' | 'alerts'
  readonly uuid: string
  readonly before: Truth | undefined
  readonly after: Truth | undefined
}

export const FAULTS = ['not-sent', 'lost', 'never-arrived', 'unauthorized', 'rejected', 'busy'] as const
export type Fault = (typeof FAULTS)[number]

/** The service in memory: accounts, one kind of listing, faults, and a journal of requests. */
export class FakeService {
  readonly journal: Change[] = []
  /** The next fault, after this many calls. */
  fault: { after: number; kind: Fault } | undefined
  onFault: (kind: Fault) => void = () => undefined
  /** The account of the current token. */
  by = 'setup'
  readonly reading: Reading
  readonly #accounts = new Map<string, Map<string, Truth>>()
  readonly #tokens = new Map<string, string>()
  /** For an outdated listing: the state before the last write, for the next few reads. */
  #late: { account: string; rows: Truth[]; left: number } | undefined
  #clock = Date.UTC(2026, 10, 1)
  #ids = 0

  constructor(reading: Reading) {
    this.reading = reading
  }

  addToken(token: string, account: string): void {
    this.#tokens.set(token, account)
  }
  all(account: string): Truth[] {
    return [...this.#of(account).values()]
  }
  truth(account: string, uuid: string): Truth | undefined {
    return this.#of(account).get(uuid)
  }
  #of(account: string): Map<string, Truth> {
    const found = this.#accounts.get(account) ?? new Map<string, Truth>()
    this.#accounts.set(account, found)
    return found
  }

  #write(account: string, op: Change['op'], uuid: string, next: Omit<Truth, 'modifiedAt'> | undefined): void {
    const all = this.#of(account)
    const before = all.get(uuid)
    if (op !== 'alerts') this.#late = { account, rows: [...all.values()], left: 2 }
    this.#clock += 1000
    const modifiedAt = op === 'alerts' && before ? before.modifiedAt : new Date(this.#clock)
    const after = next && { ...next, modifiedAt }
    if (after) all.set(uuid, after)
    else all.delete(uuid)
    this.journal.push({ by: this.by, account, op, uuid, before, after })
  }
  create(
    account: string,
    { httpServerAddress: given, ...body }: HealthCheckBody,
    alerts: readonly (readonly string[])[] = [],
  ): string {
    this.#ids += 1
    const uuid = `00000000-0000-4000-8000-${String(this.#ids).padStart(12, '0')}`
    const verifySsl = body.protocol === 'HTTPS' ? (body.verifySsl ?? true) : undefined
    const lists = alerts.map((recipients, at) => ({ id: `${this.#ids}0${at}`, recipients }))
    this.#write(account, 'create', uuid, { uuid, ...body, given, verifySsl, alerts: lists })
    return uuid
  }
  /** Someone else changes a check. */
  change(account: string, uuid: string, change: Partial<Truth>): void {
    const now = this.truth(account, uuid)
    if (now) this.#write(account, 'alerts' in change ? 'alerts' : 'update', uuid, { ...now, ...change })
  }
  remove(account: string, uuid: string): void {
    if (this.truth(account, uuid)) this.#write(account, 'delete', uuid, undefined)
  }
  /** Time passes, so the listing catches up. */
  catchUp(): void {
    this.#late = undefined
  }

  api(token: string): Api {
    const account = () => this.#accountOf(token)
    return {
      environment: 'production',
      account: accountFromToken(token),
      healthChecks: {
        list: async (query: HealthCheckQuery = {}) => {
          const results = this.#rows(account(), query)
          return { total: results.length, limit: 500, offset: 0, unreadable: 0, results }
        },
        listAll: (query: HealthCheckQuery = {}) => this.#pages(account, query),
        get: async (uuid: string) => this.#details(account(), uuid),
        create: async (body: HealthCheckBody) => this.#created(account(), body),
        update: async (uuid: string, body: HealthCheckBody) => this.#updated(account(), uuid, body),
        delete: async (uuid: string) =>
          this.#sent(account(), uuid, () => this.#write(account(), 'delete', uuid, undefined)),
      },
      alerts: this.#alertCalls(account),
      tokens: {
        list: async () => {
          const tokens = [...this.#tokens].filter(([, of]) => of === account()).map(([token]) => ({ token }))
          return { tokens, unreadable: 0 }
        },
      },
      // The tests use nothing else.
    } as unknown as Api
  }

  async *#pages(account: () => string, query: HealthCheckQuery) {
    const results = this.#rows(account(), query)
    yield { total: results.length, limit: 500, offset: 0, unreadable: 0, results }
  }
  #alertCalls(account: () => string) {
    const change = (uuid: string, lists: (now: Truth) => Truth['alerts']) =>
      this.#sent(account(), uuid, (now) =>
        this.#write(account(), 'alerts', uuid, { ...now, alerts: lists(now) }),
      )
    return {
      list: async (uuid: string) => {
        this.#fail(false)
        const { alerts } = this.#found(account(), uuid)
        return alerts.map(({ id, recipients }) => ({ id, type: 'EMAIL', recipients }))
      },
      create: async (uuid: string, { recipients }: { recipients: readonly string[] }) => {
        this.#ids += 1
        const id = String(this.#ids)
        change(uuid, ({ alerts }) => [...alerts, { id, recipients }])
      },
      update: async (uuid: string, id: string, { recipients }: { recipients: readonly string[] }) =>
        change(uuid, ({ alerts }) => alerts.map((one) => (one.id === id ? { id, recipients } : one))),
      delete: async (uuid: string, id: string) =>
        change(uuid, ({ alerts }) => alerts.filter((one) => one.id !== id)),
    }
  }

  #accountOf(token: string): string {
    const account = this.#tokens.get(token)
    if (account === undefined) throw new ApiError('unauthorized', 'no such token', { status: 401 })
    return account
  }
  #found(account: string, uuid: string): Truth {
    const found = this.truth(account, uuid)
    if (!found)
      throw new ApiError('not-found', 'gone', {
        status: 404,
        serviceMessages: ['There is no such health check.'],
      })
    return found
  }
  /** Returns the fault of an answer that is lost after the request arrived. */
  #fail(isWrite: boolean): ApiError | undefined {
    if (!this.fault || this.fault.after-- > 0) return undefined
    const { kind } = this.fault
    this.fault = undefined
    this.onFault(kind)
    if (kind === 'unauthorized') throw new ApiError('unauthorized', 'refused', { status: 401 })
    if (kind === 'busy') throw new ApiError('rate-limited', 'busy', { status: 429, retryAfterSeconds: 0 })
    if (kind === 'rejected' && isWrite)
      throw new ApiError('rejected', 'bad', { status: 400, serviceMessages: ['Not like this.'] })
    if (kind === 'not-sent' || kind === 'rejected' || !isWrite) throw new ApiError('unavailable', 'away')
    const lost = new ApiError('timeout', 'lost', { mayHaveHappened: true })
    if (kind === 'never-arrived') throw lost
    return lost
  }
  #sent<T>(account: string, uuid: string, write: (now: Truth) => T): T {
    const lost = this.#fail(true)
    const done = write(this.#found(account, uuid))
    if (lost) throw lost
    return done
  }
  #created(account: string, body: HealthCheckBody): HealthCheck {
    const lost = this.#fail(true)
    const isTaken = this.all(account).some(
      ({ name, customerId }) =>
        name.toLowerCase() === body.name.toLowerCase() && customerId === body.customerId,
    )
    if (isTaken)
      throw new ApiError('conflict', 'taken', { status: 409, serviceMessages: ['The name is taken.'] })
    const uuid = this.create(account, body)
    if (lost) throw lost
    return this.#shown(this.#found(account, uuid), () => ({}))
  }
  #updated(
    account: string,
    uuid: string,
    { httpServerAddress: given, ...body }: HealthCheckBody,
  ): HealthCheck {
    return this.#sent(account, uuid, (now) => {
      const verifySsl = body.protocol === 'HTTPS' ? (body.verifySsl ?? true) : undefined
      this.#write(account, 'update', uuid, { ...now, ...body, given, verifySsl })
      return this.#shown(this.#found(account, uuid), () => ({}))
    })
  }
  #details(account: string, uuid: string): HealthCheck {
    this.#fail(false)
    return this.#shown(this.#found(account, uuid), (truth) => ({
      ...(truth.protocol !== 'TCP' && { httpServerAddress: usedAddress(truth) }),
      ...(truth.verifySsl !== undefined && { verifySsl: truth.verifySsl }),
    }))
  }
  #shown(
    { uuid, name, customerId, protocol, target, port, frequency, modifiedAt, ...truth }: Truth,
    more: (truth: Truth) => object,
  ) {
    const fields = { uuid, name, customerId, protocol, target, port, frequency, modifiedAt }
    return { ...fields, status: 'HEALTHY', ...more({ ...fields, ...truth }) } as HealthCheck
  }
  #rows(account: string, { name, target, customerId }: HealthCheckQuery): HealthCheck[] {
    this.#fail(false)
    const isLate = this.reading === 'lag' && this.#late?.account === account && this.#late.left-- > 0
    const rows = isLate ? (this.#late?.rows ?? []) : this.all(account)
    const fits = (truth: Truth): boolean =>
      (name === undefined ||
        (name.endsWith('*') ? truth.name.startsWith(name.slice(0, -1)) : truth.name === name)) &&
      (target === undefined || truth.target === target) &&
      (customerId === undefined || truth.customerId === customerId)
    return rows.filter(fits).map((truth) => this.#shown(truth, (of) => this.#listed(of)))
  }
  #listed(truth: Truth): object {
    const verify = truth.verifySsl === undefined ? {} : { verifySsl: truth.verifySsl }
    const { given } = truth
    switch (this.reading) {
      case 'never':
        return {}
      case 'ssl-only':
        return verify
      case 'always':
        return { ...verify, ...(truth.protocol !== 'TCP' && { httpServerAddress: usedAddress(truth) }) }
      default:
        return { ...verify, ...(given !== undefined && { httpServerAddress: given }) }
    }
  }
}

const usedAddress = ({ given, target }: Truth): string =>
  given ?? (/^[\d.]+$/.test(target) ? target : `198.51.100.${(target.length * 7) % 250}`)
